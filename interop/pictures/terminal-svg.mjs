/** The tour as slides of a terminal: one SVG without scripts, whose first slide shows where nothing moves. */

const COLUMNS = 104;
const LINE_HEIGHT = 19;
const CHARACTER_WIDTH = 7.83;
const SECONDS_A_SLIDE = 3.5;

/** @param {string} text */
const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** @param {string} line */
function colourOf(line) {
  if (/^ {2,3}\d+ {2}/.test(line)) return 'title';
  if (/^\s+✓/.test(line)) return 'good';
  if (/^\s+← [23]/.test(line)) return 'ok';
  if (/^\s+← /.test(line)) return 'denied';
  if (/^\s+→ /.test(line)) return 'request';
  return 'text';
}

/** @param {string} line @param {number} index */
function draw(line, index) {
  const cut = line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line;
  return `<text class="${colourOf(line)}" x="18" y="${58 + index * LINE_HEIGHT}">${escapeXml(cut)}</text>`;
}

/** @param {readonly (readonly string[])[]} slides lines of each */
export function terminalSvg(slides) {
  const rows = Math.max(...slides.map((lines) => lines.length));
  const width = Math.round(COLUMNS * CHARACTER_WIDTH) + 36;
  const height = 58 + rows * LINE_HEIGHT + 6;
  const total = slides.length * SECONDS_A_SLIDE;
  const share = 100 / slides.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>The tour that npm start runs: an instance logs in, a copied document is denied, a module version is deprecated</title>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #c9d1d9 }
.title { fill: #fff; font-weight: 700 } .good { fill: #56d364 } .ok { fill: #7ee787 } .denied { fill: #f0b72f } .request { fill: #79c0ff }
.bar { fill: #8b949e }
.slide { opacity: 0 } .slide:first-of-type { opacity: 1 }
@media (prefers-reduced-motion: no-preference) {
.slide { animation: show ${total}s step-end infinite }
@keyframes show { 0% { opacity: 1 } ${share.toFixed(3)}% { opacity: 0 } 100% { opacity: 0 } }
}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="5.5" fill="#ff5f57"/><circle cx="38" cy="18" r="5.5" fill="#febc2e"/><circle cx="56" cy="18" r="5.5" fill="#28c840"/>
<text class="bar" x="${Math.round(width / 2) - 40}" y="22">$ npm start</text>
${slides
  .map((lines, index) => {
    // A negative delay starts each at its place of one common round.
    const delay = index === 0 ? 0 : index * SECONDS_A_SLIDE - total;
    return `<g class="slide" style="animation-delay:${delay}s">\n${lines.map(draw).join('\n')}\n</g>`;
  })
  .join('\n')}
</svg>
`;
}
