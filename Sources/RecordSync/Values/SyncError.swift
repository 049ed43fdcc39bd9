public import Foundation

/// A trouble of a synchronisation that the world may make. The message names the thing and the remedy.
///
/// ```swift
/// do {
///   _ = try await engine.sync()
/// } catch let error as SyncError where error.code == .folderMissing {
///   show(error.message)  // the stick is not mounted; try again later
/// }
/// ```
public struct SyncError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of failure. It may gain values; compare it with the constants.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case damagedFile, newerFormat, foreignFile, folderMissing, unknownDevice, notADirectory, foreignDirectory
      case sameDirectory, busy, inputOutput, conflictNotFound, notRestorable, unknownReplica
      case unusableFile, unsuitableStore, unknownPlace, keyNeeded, unusableKey, transportFailed, readOnly
      case missingValue
    }
    fileprivate let value: Value
    /// The kind's name, such as `folderMissing`.
    public var description: String { value.rawValue }

    /// A file is incomplete or a checksum is wrong; an intact copy is accepted later.
    public static let damagedFile = Code(value: .damagedFile)
    /// Written by a newer version of this library.
    public static let newerFormat = Code(value: .newerFormat)
    /// An intact file that belongs to another store, or to nothing of ours.
    public static let foreignFile = Code(value: .foreignFile)
    /// An exchange folder that was used before is gone: unmounted or wiped.
    public static let folderMissing = Code(value: .folderMissing)
    /// There is no device directory at the path.
    public static let unknownDevice = Code(value: .unknownDevice)
    /// A file stands where a folder is needed.
    public static let notADirectory = Code(value: .notADirectory)
    /// A directory holds something else than a device's stores or exchange folders, and none of these.
    public static let foreignDirectory = Code(value: .foreignDirectory)
    /// Both sides of a synchronisation are one and the same directory.
    public static let sameDirectory = Code(value: .sameDirectory)
    /// Another synchronisation of the same device kept its lock for longer than the timeout.
    public static let busy = Code(value: .busy)
    /// The item under a file's name cannot be read: a folder, a pipe, a link that leads nowhere, or a file that the
    /// system does not give out. Everything else can be.
    public static let unusableFile = Code(value: .unusableFile)
    /// A container of which it is not said which store is meant, or a store that has no place.
    public static let unsuitableStore = Code(value: .unsuitableStore)
    /// A store was asked for that neither side of a synchronisation has.
    public static let unknownPlace = Code(value: .unknownPlace)
    /// A folder is encrypted, and the device has no key for it, or another one.
    public static let keyNeeded = Code(value: .keyNeeded)
    /// A key file, a recovery code, an invitation or a passphrase is not one, or does not fit.
    public static let unusableKey = Code(value: .unusableKey)
    /// A device that only reads in a shared family was to write for others.
    public static let readOnly = Code(value: .readOnly)
    /// A transport could not list, fetch, bring or remove files: its place cannot be reached, is full or refuses.
    public static let transportFailed = Code(value: .transportFailed)
    /// A large value was asked for that lies in no file of the folder.
    public static let missingValue = Code(value: .missingValue)
    /// The system refused to read or write; the cause tells why.
    public static let inputOutput = Code(value: .inputOutput)
    /// The conflict log has no entry of the id.
    public static let conflictNotFound = Code(value: .conflictNotFound)
    /// Nobody has heard of the replica, or it is the store's own.
    public static let unknownReplica = Code(value: .unknownReplica)
    /// The store's present state leaves nothing that the lost value could be written to.
    public static let notRestorable = Code(value: .notRestorable)
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence that names the thing and the remedy.
  public var message: String
  /// The error of the system below; nil where there is none.
  public var cause: (any Error)?

  /// Whether a file stays refused until it is written again: what the system does not give out now it may give out in a
  /// moment, and another build reads newer formats.
  var isLasting: Bool { [.damagedFile, .foreignFile].contains(code) }

  /// Whether a folder could not be written to, though it may still be read.
  var isOfWriting: Bool { [.inputOutput, .unusableFile, .notADirectory].contains(code) }

  /// An error of the synchronisation.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
