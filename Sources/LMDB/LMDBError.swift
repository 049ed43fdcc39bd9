/// What the environment may refuse. Programmer errors trap instead.
public struct LMDBError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    case keyExists, notFound, mapFull, mapResized, readersFull, databasesFull, transactionFull
    case corrupted, pageNotFound, panic, versionMismatch, invalidFile, badTransaction, badValueSize
    case badReaderSlot, outOfMemory, accessDenied, noSuchFile, readOnlyFileSystem, diskFull, inputOutput
    case busy
    case other(Int32)
  }
  public var code: Code
  /// What was being done, in a few words: "open the environment at …".
  public var operation: String
  /// LMDB's or the system's own text.
  public var detail: String

  public init(_ code: Code, operation: String, detail: String) {
    self.code = code
    self.operation = operation
    self.detail = detail
  }
  public var description: String { "cannot \(operation): \(detail)" }
}
