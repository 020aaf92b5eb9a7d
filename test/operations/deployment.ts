export const encryptionKey = 'ab'.repeat(32);

/** The settings that a deployment on a server must name. */
export const deployment = {
  DATABASE_URL: 'postgres://db.example.com/embarque',
  PAYMENT_PROVIDER: 'simulated',
  FLIGHT_SUPPLIERS: 'simulated',
  EXCHANGE_RATES: 'table',
  ENCRYPTION_KEY: encryptionKey,
};
