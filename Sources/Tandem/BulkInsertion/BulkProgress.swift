/// How far a bulk insertion has come.
public struct BulkProgress: Hashable, Sendable {
  /// How many rows were taken.
  public internal(set) var rows = 0
  /// How many of them are saved.
  public internal(set) var saved = 0
}
