/// What the world may do to a store. The message names the thing and the remedy.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case notFound, notAStore, newerFormat, damaged, busy, diskFull, readOnlyFileSystem, permissionDenied
      case networkFileSystem, readersFull, incompatibleSchema, backwardMigration, uniquenessViolation, deleteDenied
      case recordNotFound, invalidRequest, invalidIdentifier, historyTokenExpired, commitOutcomeUnknown
      case readOnly, inputOutput, invalidSchema, countViolation, olderFormat, filesReplaced
    }
    fileprivate let value: Value
    public var description: String { value.rawValue }

    /// There is no store at the path.
    public static let notFound = Code(value: .notFound)
    /// The path holds something else.
    public static let notAStore = Code(value: .notAStore)
    /// Written by a newer version of this library.
    public static let newerFormat = Code(value: .newerFormat)
    /// An earlier version of this library must open it once more: it kept saves in a log that this one does not read.
    public static let olderFormat = Code(value: .olderFormat)
    /// The store's files were removed or replaced while it was open. The save did not take place.
    public static let filesReplaced = Code(value: .filesReplaced)
    /// A checksum or a structure is wrong.
    public static let damaged = Code(value: .damaged)
    /// Another process kept the store locked for longer than the timeout.
    public static let busy = Code(value: .busy)
    public static let diskFull = Code(value: .diskFull)
    public static let readOnlyFileSystem = Code(value: .readOnlyFileSystem)
    public static let permissionDenied = Code(value: .permissionDenied)
    public static let networkFileSystem = Code(value: .networkFileSystem)
    public static let readersFull = Code(value: .readersFull)
    /// The schema declared does not fit the store and no automatic step leads there.
    public static let incompatibleSchema = Code(value: .incompatibleSchema)
    /// The store's schema is newer than the one declared.
    public static let backwardMigration = Code(value: .backwardMigration)
    public static let uniquenessViolation = Code(value: .uniquenessViolation)
    /// A delete rule of deny stands against the delete.
    public static let deleteDenied = Code(value: .deleteDenied)
    /// A relationship would lead to fewer or more records than it allows.
    public static let countViolation = Code(value: .countViolation)
    public static let recordNotFound = Code(value: .recordNotFound)
    /// A request that contradicts the catalogue: unknown entity, wrong type, missing required value.
    public static let invalidRequest = Code(value: .invalidRequest)
    /// A group identifier or name that may not be used.
    public static let invalidIdentifier = Code(value: .invalidIdentifier)
    public static let historyTokenExpired = Code(value: .historyTokenExpired)
    /// The device failed while the commit was written: whether it counts is known after reopening.
    public static let commitOutcomeUnknown = Code(value: .commitOutcomeUnknown)
    /// The store was opened for reading only.
    public static let readOnly = Code(value: .readOnly)
    public static let inputOutput = Code(value: .inputOutput)
    /// The declared schema contradicts itself.
    public static let invalidSchema = Code(value: .invalidSchema)
  }

  public var code: Code
  public var message: String
  public var cause: (any Error)?

  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
  public var description: String { message }
}
