export function label(arrival: Temporal.Instant, zone: string): string {
  return arrival.toZonedDateTimeISO(zone).toPlainDate().toString();
}
