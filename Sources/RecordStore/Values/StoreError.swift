public import Foundation

/// A trouble that the world may make for a store. The message names the thing and the remedy.
///
/// The module Tandem throws it too, under SwiftData's name for it, `SwiftDataError`.
public struct StoreError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of failure. It may gain values; compare it with the constants.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: String
    /// The kind's name, such as `diskFull`.
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
    /// The device or the user's quota has no room. The save did not take place.
    public static let diskFull = Code("diskFull")
    /// The store lies on a file system that is mounted for reading only.
    public static let readOnlyFileSystem = Code("readOnlyFileSystem")
    /// The process may not read or write the store's files.
    public static let permissionDenied = Code("permissionDenied")
    /// The store lies on a network file system.
    public static let networkFileSystem = Code("networkFileSystem")
    /// All slots of the reader table are taken.
    public static let readersFull = Code("readersFull")
    /// The schema declared does not fit the store and no automatic step leads there.
    public static let incompatibleSchema = Code("incompatibleSchema")
    /// The store's schema is newer than the one declared.
    public static let backwardMigration = Code("backwardMigration")
    /// A value that must be unique is taken by another record.
    public static let uniquenessViolation = Code("uniquenessViolation")
    /// A delete rule of deny stands against the delete.
    public static let deleteDenied = Code("deleteDenied")
    /// A relationship would lead to fewer or more records than it allows.
    public static let countViolation = Code("countViolation")
    /// A record that the request changes is not there.
    public static let recordNotFound = Code("recordNotFound")
    /// A request that contradicts the catalogue: unknown entity, wrong type, missing required value.
    public static let invalidRequest = Code("invalidRequest")
    /// A group identifier or name that may not be used.
    public static let invalidIdentifier = Code("invalidIdentifier")
    /// The history after a token was deleted.
    public static let historyTokenExpired = Code("historyTokenExpired")
    /// The device failed while the commit was written: whether it counts is known after reopening. Or it failed to keep
    /// the new name of a store or backup, which is whole and in its place unless a power cut takes that back.
    public static let commitOutcomeUnknown = Code("commitOutcomeUnknown")
    /// The store was opened for reading only.
    public static let readOnly = Code("readOnly")
    /// The device or the system failed; the cause tells why.
    public static let inputOutput = Code("inputOutput")
    /// The declared schema contradicts itself.
    public static let invalidSchema = Code("invalidSchema")
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence that names the thing and the remedy.
  public var message: String
  /// The error below; nil where there is none.
  public var cause: (any Error)?

  /// Creates an error from its parts.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
  /// The same as ``message``.
  public var description: String { message }
  /// The text of `localizedDescription`.
  public var errorDescription: String? { message }
}
