import { Extensions } from 'type-graphql';

/** What OpenAPI says of the form of texts that are answered, beside what it says of their type. */
const written = (form: Readonly<Record<string, unknown>>): PropertyDecorator & MethodDecorator =>
  Extensions({ answered: form }) as PropertyDecorator & MethodDecorator;

export const IsDay = () => written({ format: 'date' });

/** Of RFC 3339 only the zone is missing, so that it is not of the format `date-time`. */
export const IsLocalTime = () =>
  written({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$', examples: ['2026-12-01T23:40:00'] });

export const IsDuration = () => written({ format: 'duration', examples: ['PT9H30M'] });

export const IsDecimal = ({ places }: { places: number }) =>
  written({ pattern: `^(0|[1-9]\\d*)\\.\\d{${places}}$`, examples: [(1234).toFixed(places)] });

export const IsDigits = ({ count }: { count: number }) => written({ pattern: `^\\d{${count}}$` });

export const IsUrl = () => written({ format: 'uri' });
