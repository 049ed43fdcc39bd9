/// Sizes and counts of one store, for reports.
public struct StoreStatistics: Hashable, Sendable, Codable {
  /// One table of the file.
  public struct Table: Hashable, Sendable, Codable {
    /// The table's name.
    public var name: String
    /// The number of entries.
    public var entries: Int
    /// The size of its pages.
    public var bytes: Int
    /// Creates a table from its parts.
    public init(name: String, entries: Int, bytes: Int) {
      self.name = name
      self.entries = entries
      self.bytes = bytes
    }
  }
  /// The file up to its last used page, free pages inside included.
  public var fileBytes: Int
  /// The address space of the map, and so the most that the file can hold now.
  public var mapSizeBytes: Int
  /// The slots of readers in use over all processes.
  public var activeReaders: Int
  /// LMDB's number of the last commit.
  public var lastLMDBTransaction: UInt64
  /// The format of the file.
  public var formatVersion: Int
  /// The tables of the file.
  public var tables: [Table]
  /// Creates statistics from their parts.
  public init(
    fileBytes: Int, mapSizeBytes: Int, activeReaders: Int, lastLMDBTransaction: UInt64, formatVersion: Int,
    tables: [Table]
  ) {
    self.fileBytes = fileBytes
    self.mapSizeBytes = mapSizeBytes
    self.activeReaders = activeReaders
    self.lastLMDBTransaction = lastLMDBTransaction
    self.formatVersion = formatVersion
    self.tables = tables
  }
}
