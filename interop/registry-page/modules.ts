/** Modules as people publish them, and one by somebody who means harm. */
import type { MemoryModuleVersion } from '@postern/testkit';

const DAY = 86_400_000;
const FIRST = Date.parse('2025-02-03T09:30:00Z');

const README = `# Network for AWS

A virtual network with public and private subnets over any number of zones, flow logs, and sensible defaults.
See the [design notes](https://wiki.acme.example/network) or jump to [usage](#usage).

[![build](https://ci.acme.example/badge.svg)](https://ci.acme.example/network) ![architecture](https://wiki.acme.example/network.png)

## Usage

\`\`\`hcl
module "network" {
  source  = "registry.acme.example/acme/network/aws"
  version = "~> 2.0"

  name               = "production"
  cidr               = "10.20.0.0/16"
  availability_zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
}
\`\`\`

### Requirements

| Name | Version | Notes |
|------|:-------:|------:|
| terraform | >= 1.5 | also OpenTofu 1.6 |
| aws | >= 5.40 | |

#### Upgrading from 1.x

1. Replace \`subnets\` by \`private_subnets\` and \`public_subnets\`.
2. Import the route tables, or let them be made anew.

> Flow logs are on by default since 2.0. They cost money.
`;

const CONTENTS = {
  path: '',
  name: 'network',
  readme: README,
  empty: false,
  inputs: [
    {
      name: 'name',
      type: 'string',
      description: 'Name of the network, and prefix of everything in it.',
      default: undefined,
      required: true,
      sensitive: false,
    },
    {
      name: 'cidr',
      type: 'string',
      description: 'Address range. At least a /24.',
      default: undefined,
      required: true,
      sensitive: false,
    },
    {
      name: 'availability_zones',
      type: 'list(string)',
      description: 'Zones to spread subnets over.',
      default: '[]',
      required: false,
      sensitive: false,
    },
    {
      name: 'flow_logs',
      type: 'object({\n  enabled = bool\n  retention_days = number\n})',
      description: 'Where traffic is logged, and how long.',
      default: '{"enabled":true,"retention_days":30}',
      required: false,
      sensitive: false,
    },
    {
      name: 'vpn_secret',
      type: 'string',
      description: 'Preshared key of the tunnel.',
      default: 'null',
      required: false,
      sensitive: true,
    },
  ],
  outputs: [
    { name: 'vpc_id', description: 'Id of the network.', sensitive: false },
    { name: 'private_subnet_ids', description: 'Ids of the private subnets, in order of zone.', sensitive: false },
  ],
  providerDependencies: [{ name: 'aws', namespace: 'hashicorp', source: 'hashicorp/aws', version: '>= 5.40' }],
  dependencies: [{ name: 'flow_logs', source: 'registry.acme.example/acme/flow-logs/aws', version: '~> 1.2' }],
  resources: [
    { type: 'aws_vpc', name: 'this' },
    { type: 'aws_subnet', name: 'private' },
    { type: 'aws_subnet', name: 'public' },
  ],
};

const NETWORK_VERSIONS = ['1.0.0', '1.1.0', '1.2.0', '1.2.1', '2.0.0-beta.1', '2.0.0', '2.1.0'];

const subnet = { ...CONTENTS, path: 'modules/subnet', name: 'subnet', readme: '' };

export const MODULES: readonly MemoryModuleVersion[] = [
  ...NETWORK_VERSIONS.map((version, at) => ({
    address: { namespace: 'acme', name: 'network', provider: 'aws', version },
    owner: 'network-team',
    description: 'A virtual network with public and private subnets, flow logs, and sensible defaults.',
    source: 'https://git.acme.example/infrastructure/terraform-aws-network',
    publishedAt: FIRST + at * 41 * DAY,
    content: new Uint8Array(18_432 + at),
    root: CONTENTS,
    submodules: [subnet],
  })),
  ...[
    ['acme', 'database', 'aws', 'PostgreSQL with backups, replicas and rotated credentials.'],
    ['acme', 'database', 'google', 'PostgreSQL with backups, replicas and rotated credentials.'],
    ['acme', 'flow-logs', 'aws', 'Flow logs into object storage, with a life cycle.'],
    ['globex', 'cluster', 'azurerm', 'A managed Kubernetes cluster with node pools and workload identity.'],
  ].map(([namespace = '', name = '', provider = '', description = ''], at) => ({
    address: { namespace, name, provider, version: '1.4.2' },
    description,
    publishedAt: FIRST + at * 30 * DAY,
    root: { ...CONTENTS, name, readme: '' },
  })),
];

const TRAP =
  '"><script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">\u001b[31m\u202egnp.exe';

/** Every text that a publisher may choose, as bad as it can be. */
export const HOSTILE_MODULE: readonly MemoryModuleVersion[] = [
  {
    address: { namespace: 'acme', name: 'trap', provider: 'aws', version: '1.0.0' },
    owner: TRAP,
    description: `${TRAP}${'long'.repeat(250_000)}`,
    source: 'javascript:document.title="owned"',
    publishedAt: FIRST,
    root: {
      ...CONTENTS,
      readme: `${TRAP}\n\n[click](javascript:document.title='owned') ![x](http://127.0.0.1:9/pixel.png)\n\n<script>document.title='owned'</script>\n\n<style>body{display:none}</style>\n\n| a | b |\n|---|---|\n| ${'wide'.repeat(300)} | c |\n\n${'x'.repeat(1_000_000)}`,
      inputs: [{ name: TRAP, type: TRAP, description: TRAP, default: TRAP, required: true, sensitive: true }],
      outputs: [{ name: TRAP, description: TRAP, sensitive: true }],
      providerDependencies: [{ name: TRAP, namespace: TRAP, source: TRAP, version: TRAP }],
      dependencies: [{ name: TRAP, source: TRAP, version: TRAP }],
      resources: [{ type: TRAP, name: TRAP }],
    },
  },
];
