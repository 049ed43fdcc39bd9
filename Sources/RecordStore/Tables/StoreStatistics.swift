/// Sizes and counts of one store, for reports.
public struct StoreStatistics: Hashable, Sendable, Codable {
  public struct Table: Hashable, Sendable, Codable {
    public var name: String
    public var entries: Int
    public var bytes: Int
    public init(name: String, entries: Int, bytes: Int) {
      self.name = name
      self.entries = entries
      self.bytes = bytes
    }
  }
  public var fileBytes: Int
  public var mapSizeBytes: Int
  public var activeReaders: Int
  public var lastLMDBTransaction: UInt64
  public var formatVersion: Int
  public var tables: [Table]
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
