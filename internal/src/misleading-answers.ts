/**
 * Answers that name an identity without being STS's word for it: what a relying party must refuse (THREAT-15, STS-11).
 * All carry status 200 unless they say another.
 */
import { callerIdentityXml, STS_NAMESPACE, type StsAnswer, type StsIdentity } from '@postern/testkit';

export interface MisleadingAnswer {
  readonly name: string;
  readonly answer: StsAnswer;
}

/** Every known way to mislead, with this identity as the bait. */
export function misleadingAnswers(identity: StsIdentity): readonly MisleadingAnswer[] {
  const good = callerIdentityXml(identity);
  const result = good.slice(good.indexOf('<GetCallerIdentityResult>'), good.indexOf('<ResponseMetadata>'));
  const other = identity.arn.replace(/[^/:]+$/, 'somebody-else');
  const xml = (name: string, body: string, more: Partial<StsAnswer> = {}): MisleadingAnswer => ({
    name,
    answer: { status: 200, contentType: 'text/xml', body, ...more },
  });
  const swapped = (name: string, from: string | RegExp, to: string): MisleadingAnswer =>
    xml(name, good.replace(from, to));
  const json = JSON.stringify({
    GetCallerIdentityResponse: {
      GetCallerIdentityResult: { Arn: identity.arn, UserId: identity.userId, Account: identity.accountId },
      ResponseMetadata: { RequestId: '01234567-89ab-cdef-0123-456789abcdef' },
    },
  });
  const [opening] = good.split('\n');
  return [
    xml('JSON', json, { contentType: 'application/json' }),
    xml('JSON said to be XML', json),
    xml('XML said to be HTML', good, { contentType: 'text/html' }),
    xml('XML of no type', good, { contentType: undefined }),
    xml('XML whose type only begins like text/xml', good, { contentType: 'text/xml-external-parsed-entity' }),
    xml('HTML', `<html><body>${good}</body></html>`, { contentType: 'text/html' }),
    xml('an empty body', ''),
    xml('a good document with status 201', good, { status: 201 }),
    xml('a good document with status 403', good, { status: 403 }),
    swapped('two results', result, `${result}${result}`),
    swapped(
      'two results of which one is another',
      result,
      `${result}${result.replace(/<Arn>.*<\/Arn>/, `<Arn>${other}</Arn>`)}`,
    ),
    swapped('no result', result, ''),
    swapped('two ARNs', /<Arn>.*<\/Arn>/, `$&<Arn>${other}</Arn>`),
    swapped('no ARN', /<Arn>.*<\/Arn>/, ''),
    swapped('no account', /<Account>.*<\/Account>/, ''),
    swapped('no user id', /<UserId>.*<\/UserId>/, ''),
    swapped('an element inside the ARN', /<Arn>(.*)<\/Arn>/, '<Arn><b>$1</b></Arn>'),
    swapped('a comment inside the ARN', /<Arn>arn:/, '<Arn>arn<!-- x -->:'),
    swapped('CDATA as the ARN', /<Arn>(.*)<\/Arn>/, '<Arn><![CDATA[$1]]></Arn>'),
    swapped('an attribute on the ARN', '<Arn>', '<Arn a="b">'),
    swapped('an account that is not that of the ARN', /<Account>.*<\/Account>/, '<Account>999999999999</Account>'),
    swapped('an account of eleven digits', /<Account>(\d{11})\d<\/Account>/, '<Account>$1</Account>'),
    swapped('no namespace', ` xmlns="${STS_NAMESPACE}"`, ''),
    swapped('another namespace', STS_NAMESPACE, 'https://sts.example.org/doc/2011-06-15/'),
    swapped('the namespace of another service', STS_NAMESPACE, 'https://iam.amazonaws.com/doc/2010-05-08/'),
    swapped('a prefixed namespace', /<(\/?)(?=[A-Z])/g, '<$1s:'),
    swapped('another action', /GetCallerIdentity/g, 'AssumeRole'),
    xml(
      'a good document inside that of another action',
      `<AssumeRoleResponse xmlns="${STS_NAMESPACE}">${good}</AssumeRoleResponse>`,
    ),
    xml('a good document beside another', `${good}${good}`),
    xml('text after the document', `${good}tail`),
    xml('text ahead of the document', `head${good}`),
    xml('a DOCTYPE', `<!DOCTYPE GetCallerIdentityResponse>${good}`),
    xml(
      'an entity of its own as the ARN',
      `<!DOCTYPE r [<!ENTITY a "${other}">]>${good.replace(/<Arn>.*<\/Arn>/, '<Arn>&a;</Arn>')}`,
    ),
    swapped('an unknown entity', '<Arn>', '<Arn>&nbsp;'),
    xml('a processing instruction', good.replace('<GetCallerIdentityResult>', '<?x y?><GetCallerIdentityResult>')),
    xml(
      'a result nested in results',
      good.replace(result, `<GetCallerIdentityResult>${result}</GetCallerIdentityResult>`),
    ),
    xml('deep nesting', `${opening}${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}${result}</GetCallerIdentityResponse>`),
    xml('a document cut short', good.slice(0, -20)),
    xml('a byte that is not UTF-8', '', { body: Buffer.from(good.replace('<Arn>', '<Arn>\u00ff'), 'latin1') }),
  ];
}
