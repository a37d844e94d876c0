/** The style sheet of the page: no script, no font and no picture from anywhere else; dark where the visitor's system is. */

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f7f8f9; --surface: #ffffff; --text: #1b2026; --muted: #56606b; --line: #dde1e6; --strong-line: #7d8792;
  --link: #1a5a96; --button: #1f5f99; --button-text: #ffffff; --code: #f1f3f5; --focus: #1a5a96;
  --amber: #fff7e2; --amber-line: #d99a00; --amber-text: #5f4300;
  --red: #fdeeec; --red-line: #c8382c; --red-text: #80201a;
  --green: #e7f4eb; --green-line: #2f8a4f; --green-text: #1d5a34;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101317; --surface: #171b21; --text: #e4e7eb; --muted: #a2abb6; --line: #2b323b; --strong-line: #7b8794;
    --link: #83bdf2; --button: #7fb9ee; --button-text: #0c1d2d; --code: #1f252d; --focus: #9accff;
    --amber: #2a2210; --amber-line: #c7930f; --amber-text: #f1d794;
    --red: #2f1715; --red-line: #dc5d52; --red-text: #f7bcb6;
    --green: #13291b; --green-line: #3f9a60; --green-text: #a0dcb4;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif;
  overflow-wrap: break-word; }
a { color: var(--link); text-underline-offset: 0.18em; text-decoration-thickness: 0.06em; }
a:hover { text-decoration-thickness: 0.12em; }
:focus-visible { outline: 0.18rem solid var(--focus); outline-offset: 0.15rem; border-radius: 0.2rem; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 0; font-weight: 650; overflow-wrap: anywhere; }
h1 { font-size: 1.85rem; letter-spacing: -0.015em; }
h2 { font-size: 1.2rem; }
h3 { font-size: 1.02rem; }
p, ul, ol, dl, pre, table, figure, blockquote { margin: 0; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
  font-size: 0.875em; }
.skip { position: absolute; left: -999rem; padding: 0.5rem 1rem; background: var(--surface); }
.skip:focus { left: 0.5rem; top: 0.5rem; z-index: 1; }
.frame { max-width: 74rem; margin: 0 auto; padding: 0 1.25rem; }
.narrow { max-width: 42rem; }
.top { background: var(--surface); border-bottom: 1px solid var(--line); }
.top .frame { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.25rem; min-height: 3.5rem; padding-top: 0.5rem;
  padding-bottom: 0.5rem; }
.home { display: inline-flex; align-items: center; gap: 0.6rem; font-weight: 650; color: var(--text); text-decoration: none; }
.home:hover { text-decoration: underline; }
.home img { width: 1.6rem; height: 1.6rem; display: block; }
.who { margin-left: auto; display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.8rem; font-size: 0.9rem; color: var(--muted); }
.who strong { color: var(--text); font-weight: 600; }
.crumbs { padding: 1.1rem 0 0; font-size: 0.9rem; }
.crumbs ol { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.1rem 0.5rem; }
.crumbs li { overflow-wrap: anywhere; }
.crumbs li + li::before { content: "/"; color: var(--muted); margin-right: 0.5rem; }
.crumbs [aria-current] { color: var(--muted); }
main { padding: 1.5rem 0 4rem; display: block; }
.crumbs + main { padding-top: 0.8rem; }
footer { border-top: 1px solid var(--line); color: var(--muted); font-size: 0.85rem; padding: 1rem 0 2rem; }
.stack > * + * { margin-top: 1.25rem; }
.stack > input[type="hidden"] + * { margin-top: 0; }
.tight > * + * { margin-top: 0.5rem; }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.9rem; }
.title .badge { margin-top: 0.2rem; }
.lead { color: var(--muted); max-width: 46rem; }
.muted { color: var(--muted); }
.small { font-size: 0.9rem; }
.keep { white-space: pre-wrap; overflow-wrap: anywhere; }
.badge { display: inline-block; padding: 0.05rem 0.6rem; border-radius: 1rem; border: 1px solid; font-size: 0.8rem; font-weight: 600;
  line-height: 1.5; white-space: nowrap; }
.badge.active { background: var(--green); border-color: var(--green-line); color: var(--green-text); }
.badge.deprecated { background: var(--amber); border-color: var(--amber-line); color: var(--amber-text); }
.badge.revoked { background: var(--red); border-color: var(--red-line); color: var(--red-text); }
.badge.plain { background: var(--code); border-color: var(--line); color: var(--muted); }
.banner { padding: 1rem 1.25rem; border: 1px solid; border-left-width: 0.35rem; border-radius: 0.5rem; }
.banner h2 { font-size: 1.08rem; }
.banner a { color: inherit; font-weight: 600; }
.banner.deprecated { background: var(--amber); border-color: var(--amber-line); color: var(--amber-text); }
.banner.revoked, .banner.error { background: var(--red); border-color: var(--red-line); color: var(--red-text); }
.banner.done { background: var(--green); border-color: var(--green-line); color: var(--green-text); }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 0.6rem; padding: 1.1rem 1.25rem; }
.list { list-style: none; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 0.6rem; }
.list > li { padding: 0.95rem 1.25rem; }
.list > li + li { border-top: 1px solid var(--line); }
.row { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 0.8rem; }
.row .end { margin-left: auto; }
.name { font-weight: 600; font-size: 1.05rem; }
.card > h2 { font-size: 1.05rem; }
.facts { display: grid; gap: 0.7rem; font-size: 0.92rem; }
.facts dt { color: var(--muted); font-size: 0.82rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.columns { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 62rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 20rem; grid-template-areas: "body side"; gap: 2.5rem; }
  .columns > .side { grid-area: side; }
  .columns > .body { grid-area: body; }
}
section > h2 { margin-bottom: 0.7rem; scroll-margin-top: 1rem; }
.sections { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; list-style: none; padding: 0 0 0.7rem; border-bottom: 1px solid var(--line);
  font-size: 0.95rem; }
.count { color: var(--muted); font-weight: 400; }
.body > section + section { margin-top: 2.2rem; }
.body > nav + section { margin-top: 1.5rem; }
.scroll { overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 0.6rem; }
.scroll table { border-collapse: collapse; width: 100%; min-width: 38rem; font-size: 0.92rem; }
.scroll th, .scroll td { text-align: left; vertical-align: top; padding: 0.55rem 0.9rem; overflow-wrap: break-word; }
.scroll thead th { color: var(--muted); font-size: 0.82rem; font-weight: 600; white-space: nowrap; }
.scroll tbody th { font-weight: 600; }
.scroll tbody tr { border-top: 1px solid var(--line); }
.scroll code { display: block; width: max-content; max-width: 18rem; white-space: pre-wrap; overflow-wrap: break-word; }
.readme .scroll code { display: inline; white-space: normal; }
.scroll .wide { width: 45%; min-width: 14rem; }
.scroll .shrink { width: 1%; }
.nowrap { white-space: nowrap; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.85rem 1rem; overflow-x: auto; line-height: 1.5;
  tab-size: 2; }
.copy { user-select: all; }
.timeline { list-style: none; padding: 0; }
.timeline > li { position: relative; padding: 0 0 1.3rem 1.4rem; border-left: 2px solid var(--line); margin-left: 0.4rem; }
.timeline > li:last-child { padding-bottom: 0; }
.timeline > li::before { content: ""; position: absolute; left: -0.44rem; top: 0.45rem; width: 0.75rem; height: 0.75rem; border-radius: 50%;
  background: var(--surface); border: 2px solid var(--strong-line); }
.timeline > li.to-deprecated::before { background: var(--amber-line); border-color: var(--amber-line); }
.timeline > li.to-revoked::before { background: var(--red-line); border-color: var(--red-line); }
.timeline > li.to-active::before { background: var(--green-line); border-color: var(--green-line); }
.field { display: grid; gap: 0.3rem; }
.field label, .label { font-weight: 600; }
.hint { color: var(--muted); font-size: 0.88rem; }
.problem { color: var(--red-text); font-weight: 600; font-size: 0.92rem; }
.field.wrong { border-left: 0.25rem solid var(--red-line); padding-left: 0.9rem; }
input, textarea, select { font: inherit; color: inherit; width: 100%; padding: 0.5rem 0.7rem; border: 1px solid var(--strong-line);
  border-radius: 0.4rem; background: var(--surface); }
::placeholder { color: var(--muted); opacity: 1; }
textarea { min-height: 7rem; resize: vertical; }
.pair { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 40rem) { .pair { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); } }
fieldset { border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.9rem 1.25rem 1.25rem; margin: 0; min-width: 0; }
legend { font-weight: 600; padding: 0 0.4rem; }
button, .button { display: inline-block; font: inherit; font-weight: 600; padding: 0.5rem 1.1rem; border-radius: 0.4rem; border: 1px solid var(--button);
  background: var(--button); color: var(--button-text); text-decoration: none; cursor: pointer; min-height: 2.6rem; line-height: 1.5; }
button:hover, .button:hover { filter: brightness(1.08); }
.button.second, button.second { background: transparent; color: var(--link); border-color: var(--strong-line); }
button.danger { background: var(--red-line); border-color: var(--red-line); color: #ffffff; }
@media (prefers-color-scheme: dark) { button.danger { background: #f0938a; border-color: #f0938a; color: #2a0c09; } }
button.text { background: none; border: 0; padding: 0.3rem 0.2rem; min-height: 0; color: var(--link); text-decoration: underline; font-weight: 400; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.7rem; align-items: center; }
.actions { display: grid; gap: 0.6rem; }
.actions .button { text-align: center; }
.search { display: flex; gap: 0.6rem; flex-wrap: wrap; }
.search input { flex: 1 1 14rem; width: auto; min-width: 0; }
.pages { display: flex; gap: 1.25rem; align-items: center; flex-wrap: wrap; }
.filters { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; list-style: none; padding: 0; font-size: 0.95rem; }
.filters [aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
.readme { background: var(--surface); border: 1px solid var(--line); border-radius: 0.6rem; padding: 1.25rem 1.5rem; overflow-wrap: break-word; }
.readme > * + * { margin-top: 0.9rem; }
.readme h3, .readme h4, .readme h5, .readme h6 { margin-top: 1.6rem; scroll-margin-top: 1rem; }
.readme h3 { font-size: 1.25rem; } .readme h4 { font-size: 1.1rem; } .readme h5, .readme h6 { font-size: 1rem; }
.readme > :first-child { margin-top: 0; }
.readme ul, .readme ol { padding-left: 1.5rem; }
.readme blockquote { border-left: 0.25rem solid var(--line); padding-left: 1rem; color: var(--muted); }
.readme hr { border: 0; border-top: 1px solid var(--line); }
.readme code { background: var(--code); padding: 0.1rem 0.3rem; border-radius: 0.25rem; }
.readme pre code { background: none; padding: 0; font-size: 1em; }
.readme .scroll table { min-width: 28rem; }
.center { text-align: center !important; }
.right { text-align: right !important; }
@media (max-width: 40rem) {
  h1 { font-size: 1.5rem; }
  .frame { padding: 0 1rem; }
  .readme { padding: 1rem; }
  .who { margin-left: 0; width: 100%; justify-content: space-between; }
}
@media print { .top, .crumbs, footer, .actions, .skip { display: none; } }
`;

/** The page's icon: a gate in a wall. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2b5f8a"/><path d="M9 26V14a7 7 0 0 1 14 0v12h-4V14a3 3 0 0 0-6 0v12z" fill="#fff"/></svg>`;
