/** Fields of a form: label, hint, and what is wrong, tied together for those who hear the page. */
import { type Html, type HtmlChild, html } from '../html.js';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

function frame({ name, label, hint, problem }: Field, control: Html): Html {
  return html`<div class="field ${problem !== undefined && 'wrong'}"><label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${problem !== undefined && html`<p class="problem" id="${name}-problem">${problem}</p>`}
${control}</div>`;
}

function attributes({ name, hint, problem }: Field): Html {
  const described = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(problem === undefined ? [] : [`${name}-problem`]),
  ].join(' ');
  return html`id="${name}" name="${name}"${described !== '' && html` aria-describedby="${described}"`}${
    problem !== undefined && html` aria-invalid="true"`
  }`;
}

export function textArea(field: Field): Html {
  // The first line break of a text area is not part of its value.
  return frame(field, html`<textarea ${attributes(field)} rows="5" dir="auto">\n${field.value}</textarea>`);
}

/** @param inputMode which keyboard a phone shows. */
export function textInput(field: Field, inputMode?: 'url', placeholder?: string): Html {
  return frame(
    field,
    html`<input ${attributes(field)} type="text" value="${field.value}" autocomplete="off" autocapitalize="none" spellcheck="false"${
      inputMode !== undefined && html` inputmode="${inputMode}"`
    }${placeholder !== undefined && html` placeholder="${placeholder}"`}>`,
  );
}

/** A date picker, unless it holds what a picker could not show: it would throw it away. */
export function dayInput(field: Field): Html {
  if (field.value !== '' && !/^\d{4}-\d{2}-\d{2}$/.test(field.value)) return textInput(field);
  return frame(field, html`<input ${attributes(field)} type="date" value="${field.value}">`);
}

export function selectInput(
  field: Field,
  choices: readonly { readonly value: string; readonly label: string }[],
): Html {
  const options: HtmlChild = choices.map(
    ({ value, label }) => html`<option value="${value}"${value === field.value && html` selected`}>${label}</option>`,
  );
  return frame(field, html`<select ${attributes(field)}>${options}</select>`);
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
