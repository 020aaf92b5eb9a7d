/** Version of the event payload's shape (SPEC Versioning, DESIGN §4). */
export const apiVersion = '2026-11-01';

/** One event as it is told to anyone: webhooks, subscriptions, the log. */
export interface DomainEvent {
  id: string;
  type: string;
  sequence: bigint;
  teamId: string;
  subjectId: string;
  createdAt: Date;
  /** `object`, and for updates `previous_attributes`, in the names of the REST resources. */
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
}
