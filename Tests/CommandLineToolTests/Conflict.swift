import Foundation
import TestSupport
import Testing

/// Two devices that have met, and whose log has one conflict: `theme` was `light` on the phone and `dark`, later, on
/// the laptop.
struct Conflict {
  let folder: URL
  var phone: String { folder.path + "/phone" }
  var laptop: String { folder.path + "/laptop" }

  /// A new folder, gone afterwards.
  static func with(_ body: (Conflict) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let conflict = Conflict(folder: folder)
    let tandem = Tandem()
    for device in [conflict.phone, conflict.laptop] {
      try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: true)
    }
    try tandem.run("put", "theme", "system", "--device", conflict.phone)
    try tandem.run("sync", conflict.phone, conflict.laptop)
    try tandem.run("put", "theme", "light", "--device", conflict.phone)
    try tandem.run("put", "theme", "dark", "--device", conflict.laptop)
    let outcome = try tandem.run("sync", conflict.phone, conflict.laptop)
    #expect(outcome.output.contains("1 conflict logged"), "\(outcome)")
    try body(conflict)
  }
}
