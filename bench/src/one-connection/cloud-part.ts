/** EC2 and STS that take every signature and know every instance, as little as they can cost, in a process of its own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerIdentityXml } from '@postern/testkit';
import { serveReports } from '../logins/child-report.js';

export interface CloudInput {
  readonly accountId: string;
  readonly imageId: string;
}

/** What EC2 says of an instance with one network interface and one volume, member by member. */
function instanceXml(id: string, { accountId, imageId }: CloudInput): string {
  return `<item>
    <reservationId>r-0123456789abcdef0</reservationId>
    <ownerId>${accountId}</ownerId>
    <groupSet/>
    <instancesSet><item>
      <instanceId>${id}</instanceId>
      <imageId>${imageId}</imageId>
      <instanceState><code>16</code><name>running</name></instanceState>
      <privateDnsName>ip-10-0-0-1.ec2.internal</privateDnsName>
      <dnsName/><reason/>
      <keyName>ops</keyName>
      <amiLaunchIndex>0</amiLaunchIndex>
      <productCodes/>
      <instanceType>m5.large</instanceType>
      <launchTime>2026-01-01T00:00:00.000Z</launchTime>
      <placement><availabilityZone>us-east-1a</availabilityZone><groupName/><tenancy>default</tenancy></placement>
      <monitoring><state>disabled</state></monitoring>
      <subnetId>subnet-0123456789abcdef0</subnetId>
      <vpcId>vpc-0123456789abcdef0</vpcId>
      <privateIpAddress>10.0.0.1</privateIpAddress>
      <sourceDestCheck>true</sourceDestCheck>
      <groupSet><item><groupId>sg-0123456789abcdef0</groupId><groupName>web</groupName></item></groupSet>
      <architecture>x86_64</architecture>
      <rootDeviceType>ebs</rootDeviceType>
      <rootDeviceName>/dev/xvda</rootDeviceName>
      <blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-0123456789abcdef0</volumeId>
        <status>attached</status><attachTime>2026-01-01T00:00:00.000Z</attachTime><deleteOnTermination>true</deleteOnTermination>
      </ebs></item></blockDeviceMapping>
      <virtualizationType>hvm</virtualizationType>
      <clientToken>01234567-89ab-cdef-0123-456789abcdef</clientToken>
      <tagSet>
        <item><key>Name</key><value>web</value></item>
        <item><key>Team</key><value>payments &amp; billing</value></item>
      </tagSet>
      <hypervisor>xen</hypervisor>
      <networkInterfaceSet><item>
        <networkInterfaceId>eni-0123456789abcdef0</networkInterfaceId>
        <subnetId>subnet-0123456789abcdef0</subnetId><vpcId>vpc-0123456789abcdef0</vpcId>
        <description/><ownerId>${accountId}</ownerId><status>in-use</status>
        <macAddress>02:00:00:00:00:01</macAddress><privateIpAddress>10.0.0.1</privateIpAddress>
        <sourceDestCheck>true</sourceDestCheck>
        <groupSet><item><groupId>sg-0123456789abcdef0</groupId><groupName>web</groupName></item></groupSet>
        <attachment><attachmentId>eni-attach-0123456789abcdef0</attachmentId><deviceIndex>0</deviceIndex>
          <status>attached</status><attachTime>2026-01-01T00:00:00.000Z</attachTime><deleteOnTermination>true</deleteOnTermination>
        </attachment>
        <privateIpAddressesSet><item><privateIpAddress>10.0.0.1</privateIpAddress><primary>true</primary></item></privateIpAddressesSet>
        <ipv6AddressesSet/><interfaceType>interface</interfaceType>
      </item></networkInterfaceSet>
      <ebsOptimized>false</ebsOptimized><enaSupport>true</enaSupport>
      <cpuOptions><coreCount>1</coreCount><threadsPerCore>2</threadsPerCore></cpuOptions>
      <hibernationOptions><configured>false</configured></hibernationOptions>
      <metadataOptions><state>applied</state><httpTokens>required</httpTokens><httpEndpoint>enabled</httpEndpoint></metadataOptions>
    </item></instancesSet>
  </item>`;
}

export function runCloud(input: CloudInput): void {
  const { accountId } = input;
  const own = callerIdentityXml({ accountId, arn: `arn:aws:iam::${accountId}:user/bench`, userId: 'AIDABENCH' });
  const describe = (ids: readonly string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
  <requestId>01234567-89ab-cdef-0123-456789abcdef</requestId>
  <reservationSet>${ids.map((id) => instanceXml(id, input)).join('')}</reservationSet>
</DescribeInstancesResponse>`;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = Buffer.concat(chunks).toString();
      const ids = Array.from(asked.matchAll(/InstanceId\.\d+=([^&]+)/g), ([, id = '']) => id);
      const xml = asked.startsWith('Action=GetCallerIdentity') ? own : describe(ids);
      response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8', 'content-length': Buffer.byteLength(xml) });
      response.end(xml);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on TCP has an address of this form.
    serveReports((server.address() as AddressInfo).port, async () => server.closeAllConnections());
  });
}
