/// The treatment of a unique value in a save that belongs to another record.
public enum UniquenessPolicy: Sendable, Hashable {
  /// The existing record takes the new values, as in SwiftData.
  case upsert
  /// The save throws `uniquenessViolation` and changes nothing.
  case `throw`
}
