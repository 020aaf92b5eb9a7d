import PDFDocument from 'pdfkit';

/** What the PDFs share: A4 pages in Portuguese, measured in millimetres. */

export type PdfDocument = InstanceType<typeof PDFDocument>;

type PdfOptions = NonNullable<ConstructorParameters<typeof PDFDocument>[0]>;

export const pageWidthMm = 210;
export const pageHeightMm = 297;

/** Of what must not be paid, or flown with. */
export const warningColour = '#b00020';

export const pointsPerMm = 72 / 25.4;

/** Millimetres in points, which pdfkit counts in. */
export const mm = (millimetres: number) => millimetres * pointsPerMm;

/** A document, and the bytes of its file once it has been ended. The same drawing gives the same bytes. */
export function a4Document(
  info: { title: string; subject: string; createdAt: Date },
  options: Pick<PdfOptions, 'autoFirstPage' | 'bufferPages'> = {},
): { doc: PdfDocument; finished: Promise<Buffer> } {
  const doc = new PDFDocument({
    ...options,
    size: 'A4',
    margin: 0,
    lang: 'pt-BR',
    displayTitle: true,
    info: { Title: info.title, Subject: info.subject, CreationDate: info.createdAt },
  });
  const chunks: Buffer[] = [];
  const finished = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  return { doc, finished };
}
