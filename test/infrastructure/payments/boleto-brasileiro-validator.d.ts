declare module 'boleto-brasileiro-validator' {
  const validator: {
    boletoBancarioCodigoBarras(barcode: string): boolean;
    boletoBancarioLinhaDigitavel(line: string, checkFields: boolean): boolean;
  };
  export = validator;
}
