import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection

struct Key: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Encrypt the exchange folder of a store's family.",
    discussion: """
      A family with a key writes age files into its exchange folder, under names that
      tell nothing, and takes no others. Each device has the key in a file beside its
      store, <group>/<name>.key, which is its owner's alone. The store itself is not
      encrypted. Exit code 2 if nothing was done; one sentence says why.

      Example: tandem key new phone
      """,
    subcommands: [New.self, Show.self, AddDevice.self, Join.self, Rotate.self, Forget.self])
}

/// The answer of a command about keys.
struct KeyAnswer {
  var place: DeviceDirectory.Place
  var file: KeyFile
  /// Whether secrets are part of the answer.
  var showsSecrets = false
  /// Files that were written.
  var written: [String] = []
  /// The steps that are still to be done, in sentences.
  var hints: [String] = []

  func print(_ output: OutputOptions) throws {
    if output.json { return try Console.standard.print(json) }
    try Console.standard.print("\(place): \(file.key.map { "key \($0.id)" } ?? "waits for a key")")
    try Console.standard.print("this device's recipient: \(file.recipient)")
    for device in file.devices { try Console.standard.print("handed to: \(DisplayText.visible(device.name))") }
    if showsSecrets, let key = file.key {
      try Console.standard.print("recovery code: \(key.recoveryCode)")
      if let identity = file.ageIdentity { try Console.standard.print("identity for age: \(identity)") }
    }
    for path in written { try Console.standard.print("written: \(DisplayText.visible(path))") }
    try Console.standard.flush()
    for hint in hints { Console.standard.tell(hint) }
  }

  private var json: JSON {
    let shown = showsSecrets ? file.key : nil
    return .members([
      "place": .string("\(place)"), "key": file.key.map { .string($0.id) }, "recipient": .string(file.recipient),
      "devices": .array(file.devices.map { ["name": .string($0.name), "recipient": .string($0.recipient)] }),
      "written": .array(written.map { .string($0) }), "recoveryCode": shown.map { .string($0.recoveryCode) },
      "ageIdentity": showsSecrets ? file.ageIdentity.map { .string($0) } : nil,
    ])
  }
}

/// A file that is its owner's alone and replaces no other.
enum InvitationFile {
  static func write(_ bytes: [UInt8], _ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw CommandFailure("cannot create \(path): \(reason); name a file that is not there, in a folder that is")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(bytes))
      try handle.synchronize()
    } catch {
      unlink(path)
      throw CommandFailure("cannot write \(path): \(error.systemReason); no part of it was left behind")
    }
  }
}
