/// A fetch's findings about a context's unsaved changes.
struct WeighedChanges {
  /// The objects that the pending deletes will take along.
  var effects: PendingEffects?
  /// Objects with unsaved changes by unique value, by class.
  var keys: [ObjectIdentifier: PendingKeys] = [:]
  /// Whether objects are being weighed: relationships leave out what the delete rules will take.
  var isRunning = false
}
