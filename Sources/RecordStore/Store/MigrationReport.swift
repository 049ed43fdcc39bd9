public import Foundation

/// The work that a migration did, or, as a dry run, would do.
public struct MigrationReport: Hashable, Sendable, CustomStringConvertible {
  /// The store's directory.
  public var store: URL
  /// The version that the store had.
  public var fromVersion: SchemaVersion
  /// The version that the store has, or would have.
  public var toVersion: SchemaVersion
  /// In the order in which they happened. Empty: only the version's number changed.
  public var steps: [MigrationStep]
  /// The copy of the store from before, where one was made.
  public var backup: StoreBackup?
  /// Nothing was changed.
  public var isDryRun: Bool

  /// Creates a report from its parts.
  public init(
    store: URL, fromVersion: SchemaVersion, toVersion: SchemaVersion, steps: [MigrationStep],
    backup: StoreBackup? = nil, isDryRun: Bool = false
  ) {
    self.store = store
    self.fromVersion = fromVersion
    self.toVersion = toVersion
    self.steps = steps
    self.backup = backup
    self.isDryRun = isDryRun
  }

  /// Whether there was nothing to do.
  public var isEmpty: Bool { steps.isEmpty && fromVersion == toVersion }

  /// A title and a line for each step, for people.
  public var description: String {
    let title = "\(isDryRun ? "would migrate" : "migrated") \(store.path) from \(fromVersion) to \(toVersion)"
    let copy = backup.map { ["keeps a copy at \($0.url.path)"] } ?? []
    return ([title] + (steps.map(\.description) + copy).map { "  " + $0 }).joined(separator: "\n")
  }
}
