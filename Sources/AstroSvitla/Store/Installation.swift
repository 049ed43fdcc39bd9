public import Foundation
import RecordStore

/// Which installation of the app this is: a UUID in a file beside the store, so that it never travels to other devices.
///
/// The file is `<device>/<group>/AstroSvitla.installation`. It is written before the ``User`` of the same id is stored;
/// a crash in between leaves the id, and the next launch makes the user. Without the file a new installation begins.
public struct Installation: Hashable, Sendable {
  /// The id of the installation's ``User``.
  public let id: UUID

  /// Reads the id, or makes one durably. Two processes that come first at once agree on one.
  ///
  /// Throws `unreadableFile` when the file can not be read or written.
  static func open(
    beside store: URL, newID: () -> UUID = { UUID() }, flushing flush: (URL) throws -> Void = Directory.flush
  ) throws -> Installation {
    let file = store.deletingPathExtension().appendingPathExtension("installation")
    do {
      if try read(file) == nil { try make(file, newID()) }
      // Else a power cut may take the name back after the user of the id was stored. Also where the file was there, for
      // its maker may have died in between.
      try flush(file.deletingLastPathComponent())
      guard let known = try read(file) else { throw unusable(file, "it is empty") }
      return known
    } catch let error as CocoaError {
      throw unusable(file, error.systemReason)
    } catch let error as StoreError {
      throw unusable(file, error.message)
    }
  }

  private static func make(_ file: URL, _ id: UUID) throws {
    let draft = file.appendingPathExtension(id.uuidString)
    defer { unlink(draft.path) }
    try DurableText.write(id.uuidString + "\n", to: draft)
    // A link is made whole or not at all, and refuses a name that is taken.
    if link(draft.path, file.path) != 0, errno != EEXIST { throw unusable(file, String(cString: strerror(errno))) }
  }

  private static func read(_ file: URL) throws -> Installation? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let id = UUID(uuidString: text) else { throw unusable(file, "it holds no UUID") }
    return Installation(id: id)
  }

  private static func unusable(_ file: URL, _ cause: String) -> AstroSvitlaError {
    AstroSvitlaError(
      .unreadableFile, .installationUnusable, "\(file.path)",
      cause: cause)
  }
}
