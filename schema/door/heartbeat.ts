/** How often an idle connection of subscriptions shows that it lives, and finds out whether its client does. */
export const heartbeatMs = 12_000;
