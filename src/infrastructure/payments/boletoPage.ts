import { pagePolicy } from '../http/pagePolicy.ts';
import { barsHeightMm, barsModules, barsWidthMm, boletoBars, quietZoneMm } from './boletoBars.ts';
import { type BoletoSlip, boxWidthsMm, type SlipBox } from './boletoSlip.ts';

const style = `
*{box-sizing:border-box}
body{margin:0;padding:8mm 4mm;background:#eef0f2;color:#000;font:10pt/1.3 Helvetica,Arial,sans-serif}
.summary,.sheet{background:#fff;max-width:192mm;margin:0 auto 6mm;padding:5mm;border:1px solid #c8ccd0}
.summary h1{margin:0 0 2mm;font-size:14pt}
.summary p{margin:1mm 0}
.summary strong{font-size:13pt}
#line{font:bold 11pt/1.5 "Courier New",monospace;overflow-wrap:anywhere}
.actions{display:flex;flex-wrap:wrap;gap:3mm;margin-top:3mm}
.actions button,.actions a{font:inherit;font-weight:bold;padding:2mm 4mm;border:1px solid #0b4f8a;border-radius:1mm;
background:#0b4f8a;color:#fff;text-decoration:none;cursor:pointer}
.actions a{background:#fff;color:#0b4f8a}
.mark{max-width:192mm;margin:0 auto 4mm;padding:2mm;border:2px solid #b00020;color:#b00020;background:#fff;
font-weight:bold;font-size:13pt;text-align:center}
.mark.paid{border-color:#1b6e2e;color:#1b6e2e}
.sheet{overflow-x:auto;position:relative}
.part{width:180mm;position:relative;overflow:hidden}
.part>*{position:relative}
.watermark{position:absolute;inset:0;display:flex;align-items:center;justify-content:center;transform:rotate(-14deg);
color:#b00020;opacity:.16;font-weight:bold;font-size:26pt;white-space:nowrap;pointer-events:none}
.head{display:flex;align-items:flex-end;border-bottom:2px solid #000;font-weight:bold}
.bank{width:37mm;font-size:15pt}
.code{width:22mm;text-align:center;font-size:15pt;border:solid #000;border-width:0 2px}
.bank,.code{flex:none}
.title{flex:1;text-align:right;font-size:11pt}
.row{display:flex;border-left:1px solid #000}
.box{border:solid #000;border-width:0 1px 1px 0;padding:.4mm 1mm;min-width:0;min-height:7mm;overflow:hidden}
.box span{display:block;font-size:5.5pt}
.box div{font-size:8.5pt;overflow-wrap:anywhere}
.right div{text-align:right}
.strong div{font-weight:bold}
.column{display:flex;flex-direction:column}
.column .box{flex:1}
.foot{display:flex;justify-content:space-between;font-size:6.5pt;padding-top:2mm;min-height:10mm}
.foot b{font-size:9pt}
.cut{border:0;border-top:1px dashed #000;margin:8mm 0 6mm;width:180mm}
.foot span{text-align:right}
.bars{display:block;flex:none;margin:1mm ${quietZoneMm}mm 0}
${boxWidthsMm.map((width) => `.w${width}{width:${width}mm}`).join('')}
@media screen{.bars{width:${barsModules}px}}
@page{margin:8mm}
@media print{body{padding:0;background:#fff}.summary{display:none}.sheet{border:0;padding:0 5mm;overflow:visible}}
`;

const script = `
const button = document.getElementById('copy');
button?.removeAttribute('hidden');
button?.addEventListener('click', async () => {
  const line = document.getElementById('line');
  try {
    await navigator.clipboard.writeText(line.textContent.replace(/\\D/g, ''));
  } catch {
    getSelection().selectAllChildren(line);
    document.execCommand('copy');
  }
  button.textContent = 'Linha digitável copiada';
});
`;

/** Content-Security-Policy with which the page works and nothing else can be loaded or run. */
export const boletoPageSecurityPolicy = pagePolicy({ style, script });

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text as it may stand in HTML, in a quoted attribute as well. Marks of direction are left out, as in the PDF: those of a
 * name would turn round the tax id that stands after it.
 */
function escapeHtml(text: string): string {
  return text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

function boxHtml(box: SlipBox): string {
  const classes = ['box', `w${box.widthMm}`, box.alignRight ? 'right' : '', box.strong ? 'strong' : ''];
  const lines = box.lines.map((line) => `<div>${escapeHtml(line)}</div>`).join('');
  return `<div class="${classes.filter(Boolean).join(' ')}"><span>${escapeHtml(box.label)}</span>${lines}</div>`;
}

function rowsHtml(rows: readonly (readonly SlipBox[])[]): string {
  return rows.map((boxes) => `<div class="row">${boxes.map(boxHtml).join('')}</div>`).join('\n');
}

function headHtml(slip: BoletoSlip, title: string): string {
  return `<div class="head"><div class="bank">${escapeHtml(slip.bankName)}</div>
<div class="code">${escapeHtml(slip.bankCode)}</div><div class="title">${escapeHtml(title)}</div></div>`;
}

/**
 * The bars as one SVG path, a module to a unit. On screen a module is a whole pixel, because 103 mm have fewer pixels
 * than modules and the bars would lose their proportions; what stands beside them takes none of their width.
 */
function barsSvg(barcode: string): string {
  const path = boletoBars(barcode).map(({ start, width }) => `M${start} 0h${width}v1h-${width}z`);
  return `<svg class="bars" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Código de barras ${barcode}"
width="${barsWidthMm}mm" height="${barsHeightMm}mm" viewBox="0 0 ${barsModules} 1" preserveAspectRatio="none"
shape-rendering="crispEdges"><path d="${path.join('')}"/></svg>`;
}

function marksHtml(slip: BoletoSlip): string {
  const test = slip.testMark ? `<div class="mark">${escapeHtml(slip.testMark)}</div>` : '';
  const kind = slip.state === 'paid' ? 'mark paid' : 'mark';
  const state = slip.stateMark
    ? `<div class="${kind}" role="status">${escapeHtml(slip.stateMark)}</div>`
    : '';
  return test + state;
}

function summaryHtml(slip: BoletoSlip, pdfUrl: string): string {
  const copy =
    slip.state === 'payable'
      ? '<button id="copy" type="button" hidden aria-live="polite">Copiar linha digitável</button>'
      : '';
  return `<section class="summary"><h1>Boleto de pagamento</h1>
<p>Valor: <strong>${escapeHtml(slip.amount)}</strong> — Vencimento: <strong>${escapeHtml(slip.dueDate)}</strong></p>
<p id="line">${escapeHtml(slip.digitableLine)}</p>
<div class="actions">${copy}<a href="${escapeHtml(pdfUrl)}">Baixar PDF</a></div></section>`;
}

function partHtml(slip: BoletoSlip, content: string): string {
  const watermark = slip.testMark
    ? `<div class="watermark" aria-hidden="true">${escapeHtml(slip.testMark)}</div>`
    : '';
  return `<div class="part">${watermark}${content}</div>`;
}

function receiptHtml(slip: BoletoSlip): string {
  return `${headHtml(slip, 'RECIBO DO PAGADOR')}
${rowsHtml(slip.receiptRows)}
<div class="foot"><b>${escapeHtml(slip.digitableLine)}</b><span>Autenticação mecânica</span></div>`;
}

function slipHtml(slip: BoletoSlip): string {
  const adjustments = slip.adjustments.map(boxHtml).join('');
  return `${headHtml(slip, slip.digitableLine)}
${rowsHtml(slip.slipRows)}
<div class="row">${boxHtml(slip.instructions)}<div class="column">${adjustments}</div></div>
${rowsHtml([[slip.payer]])}
<div class="foot">${barsSvg(slip.barcode)}<span>Autenticação mecânica — <strong>FICHA DE COMPENSAÇÃO</strong></span></div>`;
}

/**
 * HTML page of a boleto: nothing to load, and every text escaped. The sheet is wider than a telephone, so it can be
 * focused: arrow keys scroll only what has the focus.
 * @param pdfUrl where the same boleto is served as a PDF
 */
export function boletoPage(slip: BoletoSlip, { pdfUrl }: { pdfUrl: string }): string {
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Boleto ${escapeHtml(slip.rechargeId)}</title>
<style>${style}</style>
</head>
<body>
<main>
${marksHtml(slip)}
${summaryHtml(slip, pdfUrl)}
<div class="sheet" role="region" aria-label="Boleto" tabindex="0">${partHtml(slip, receiptHtml(slip))}<hr class="cut">
${partHtml(slip, slipHtml(slip))}</div>
</main>
<script>${script}</script>
</body>
</html>
`;
}
