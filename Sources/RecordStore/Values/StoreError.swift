public import Foundation

/// What the world may do to a store. The message names the thing and the remedy.
///
/// The module Tandem throws it too, under SwiftData's name for it, `SwiftDataError`.
public struct StoreError: LocalizedError, Sendable, CustomStringConvertible {
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: String
    public var description: String { name }

    /// A code by its name. Modules above have situations of their own.
    package init(_ name: String) { self.name = name }

    /// There is no store at the path.
    public static let notFound = Code("notFound")
    /// The path holds something else.
    public static let notAStore = Code("notAStore")
    /// Written by a newer version of this library.
    public static let newerFormat = Code("newerFormat")
    /// An earlier version of this library must open it once more: it kept saves in a log that this one does not read.
    public static let olderFormat = Code("olderFormat")
    /// The store's files were removed or replaced while it was open. The save did not take place.
    public static let filesReplaced = Code("filesReplaced")
    /// A checksum or a structure is wrong.
    public static let damaged = Code("damaged")
    /// Another process kept the store locked for longer than the timeout.
    public static let busy = Code("busy")
    public static let diskFull = Code("diskFull")
    public static let readOnlyFileSystem = Code("readOnlyFileSystem")
    public static let permissionDenied = Code("permissionDenied")
    public static let networkFileSystem = Code("networkFileSystem")
    public static let readersFull = Code("readersFull")
    /// The schema declared does not fit the store and no automatic step leads there.
    public static let incompatibleSchema = Code("incompatibleSchema")
    /// The store's schema is newer than the one declared.
    public static let backwardMigration = Code("backwardMigration")
    public static let uniquenessViolation = Code("uniquenessViolation")
    /// A delete rule of deny stands against the delete.
    public static let deleteDenied = Code("deleteDenied")
    /// A relationship would lead to fewer or more records than it allows.
    public static let countViolation = Code("countViolation")
    public static let recordNotFound = Code("recordNotFound")
    /// A request that contradicts the catalogue: unknown entity, wrong type, missing required value.
    public static let invalidRequest = Code("invalidRequest")
    /// A group identifier or name that may not be used.
    public static let invalidIdentifier = Code("invalidIdentifier")
    public static let historyTokenExpired = Code("historyTokenExpired")
    /// The device failed while the commit was written: whether it counts is known after reopening.
    public static let commitOutcomeUnknown = Code("commitOutcomeUnknown")
    /// The store was opened for reading only.
    public static let readOnly = Code("readOnly")
    public static let inputOutput = Code("inputOutput")
    /// The declared schema contradicts itself.
    public static let invalidSchema = Code("invalidSchema")
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
  /// What `localizedDescription` says.
  public var errorDescription: String? { message }
}
