/** Form, confirmation: two pages, so that nothing is changed by one click and nothing needs a script. */
import type { Command, VersionStatus } from '@postern/core-registry';
import { externalLink, type Html, html } from '../html.js';
import type { Session } from '../session/session-cookie.js';
import { document, moduleCrumbs, type Visit } from '../views/document.js';
import { ACTIONS } from './actions.js';
import { dayInput, hidden, selectInput, textArea, textInput } from './form-fields.js';
import { CLASS_CHOICES, CLASS_LABELS, FIELDS, type FieldProblem, type NoticeValues } from './notice-values.js';

/** A command on its way. */
export interface ManagePage {
  readonly status: VersionStatus;
  readonly command: Command;
  readonly session: Session;
  readonly values: NoticeValues;
}

export function formPage(visit: Visit, page: ManagePage, problem?: FieldProblem): Html {
  const { command, status, session, values } = page;
  const { address, state } = status;
  const words = ACTIONS[command];
  const problemOf = (field: string) => (problem?.field === field ? problem.text : undefined);
  const field = (name: keyof NoticeValues, label: string, hint?: string) => ({
    name,
    label,
    hint,
    value: values[name],
    problem: problemOf(name),
  });
  const what = words.asks === 'revocation' ? 'revocation' : 'deprecation';
  const body = html`<div class="stack">
<div class="tight"><h1>${words.title(address.version, state)}</h1><p class="lead">${words.effect}</p></div>
${
  problem !== undefined &&
  html`<div class="banner error tight" role="alert"><h2>There is a problem</h2><p><a href="#${problem.field}">${labelOf(problem)}: ${problem.text}</a></p></div>`
}
<form class="stack" method="post" action="${visit.site.actionPath(address, command)}">
${hidden('form_secret', session.formSecret)}
${textArea(field('reason', `Reason for module ${what}`, 'Optional. At most 2,000 characters.'))}
${textInput(field('link', 'Link to additional information', 'Optional. An http or https address.'), 'url')}
${words.asks === 'deprecation' && extras(field)}
<div class="buttons"><button name="step" value="review">Continue</button>
<a href="${visit.site.versionPath(address)}">Cancel</a></div></form></div>`;
  return framed(visit, page, body, problem === undefined ? '' : 'Error: ');
}

type FieldMaker = (name: keyof NoticeValues, label: string, hint?: string) => Parameters<typeof textInput>[0];

function extras(field: FieldMaker): Html {
  const choices = [{ value: '', label: 'Not given' }, ...CLASS_CHOICES];
  return html`${selectInput(field('reason_class', 'Kind of reason'), choices)}
<fieldset><legend>Replacement</legend><div class="pair">
${textInput(field('replacement_module', 'Module', 'Empty for the same module.'), undefined, 'acme/network/aws')}
${textInput(field('replacement_version', 'Version', 'A constraint.'), undefined, '~> 2.0')}</div></fieldset>
${dayInput(field('sunset', 'Sunset date', 'Optional. From this day on the version should not be used at all.'))}`;
}

const LABELS: NoticeValues = {
  reason: 'Reason',
  link: 'Link to additional information',
  reason_class: 'Kind of reason',
  replacement_module: 'Replacement module',
  replacement_version: 'Replacement version',
  sunset: 'Sunset date',
};

function labelOf({ field }: FieldProblem): string {
  return LABELS[field];
}

/** Shows what will be done and asks for a yes. */
export function confirmPage(visit: Visit, page: ManagePage): Html {
  const { command, status, session, values } = page;
  const { address, state } = status;
  const words = ACTIONS[command];
  const asks = words.asks !== 'nothing';
  const isDanger = command === 'revoke';
  const body = html`<div class="stack">
<div class="tight"><h1>${words.title(address.version, state)}?</h1><p class="lead">${words.effect}</p></div>
${asks && summary(values)}
<form method="post" action="${visit.site.actionPath(address, command)}">
${hidden('form_secret', session.formSecret)}
${asks && FIELDS.map((name) => hidden(name, values[name]))}
<div class="buttons"><button name="step" value="confirm"${isDanger && html` class="danger"`}>${words.button(address.version)}</button>
${asks && html`<button class="second" name="step" value="edit">Change</button>`}
<a href="${visit.site.versionPath(address)}">Cancel</a></div></form></div>`;
  return framed(visit, page, body);
}

function summary(values: NoticeValues): Html {
  const rows = FIELDS.filter((name) => values[name] !== '').map((name) => {
    const value = values[name];
    const choice = CLASS_CHOICES.find((each) => each.value === value);
    const shown =
      name === 'link'
        ? externalLink(value)
        : name === 'reason_class' && choice !== undefined
          ? html`${CLASS_LABELS[choice.value]}`
          : html`<span class="keep" dir="auto">${value}</span>`;
    return html`<div><dt>${LABELS[name]}</dt><dd>${shown}</dd></div>`;
  });
  if (rows.length === 0) return html`<div class="card"><p>No reason and no link are given.</p></div>`;
  return html`<div class="card"><dl class="facts">${rows}</dl></div>`;
}

function framed(visit: Visit, { status, command }: ManagePage, body: Html, prefix = ''): Html {
  const { address, state } = status;
  const title = ACTIONS[command].title(address.version, state);
  const crumbs = [
    ...moduleCrumbs(visit.site, address),
    { text: address.version, path: visit.site.versionPath(address) },
  ];
  return document(visit, { title: `${prefix}${title}`, crumbs, here: title, body, narrow: true });
}
