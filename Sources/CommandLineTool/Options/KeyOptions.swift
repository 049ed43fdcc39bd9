import ArgumentParser
import Foundation
import RecordStore
import RecordSync

/// Whose key: a device directory, and one of its stores; the same for all commands about keys.
struct KeyOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("A device directory.", valueName: "device"), completion: .directory, transform: GivenPath.text)
  var device: String

  @Option(help: ArgumentHelp("Which store's family; the only one by default.", valueName: "group/store"))
  var only: String?

  @OptionGroup var secrecy: PassphraseOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let only, DeviceDirectory.Place(only) == nil {
      throw ValidationError("--only '\(DisplayText.visible(only))' is not of the form GROUP/STORE")
    }
  }

  func directory() throws -> DeviceDirectory { try DeviceDirectory(URL(fileURLWithPath: device, isDirectory: true)) }

  func place() throws -> DeviceDirectory.Place {
    if let place = only.flatMap(DeviceDirectory.Place.init) { return place }
    let places = try directory().places()
    guard places.count <= 1 else {
      let names = places.map(\.description).joined(separator: ", ")
      throw CommandFailure("\(device) holds \(places.count) stores; name one of them with --only: \(names)")
    }
    guard let place = places.first else {
      throw CommandFailure("\(device) holds no store; name the family with --only GROUP/STORE")
    }
    return place
  }

  func url() throws -> URL { try directory().keyFile(at: place()) }

  /// The key file; nil where there is none.
  func fileIfPresent() throws -> KeyFile? {
    let url = try url()
    guard !FileManager.default.fileExists(atPath: FamilyFile.url(besideStoreAt: url).path) else {
      throw CommandFailure(
        "\(try place()) is shared, and the family has a key of its own: 'tandem share' invites and removes")
    }
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try KeyFile(at: url, passphrase: secrecy.passphrase())
  }

  func file() throws -> KeyFile {
    guard let file = try fileIfPresent() else {
      throw CommandFailure(
        "\(device) has no key for \(try place()); 'tandem key new' makes one, and 'tandem key join' asks another "
          + "device for it"
      )
    }
    return file
  }

  /// Runs `body`, which reads the key file and writes it, while no other command does.
  func changing(_ body: () throws -> Void) throws {
    try DirectoryLock.changingKeys(in: url().deletingLastPathComponent(), body)
  }

  func write(_ file: KeyFile) throws { try file.write(to: url(), passphrase: secrecy.passphrase()) }
}

/// A passphrase that protects a key file.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The first line of this file protects the key file.", valueName: "file"), completion: .file(),
    transform: GivenPath.text)
  var passphraseFile: String?

  func passphrase() throws -> String? {
    guard let passphraseFile else { return nil }
    let text: String
    do {
      text = try String(contentsOf: URL(fileURLWithPath: passphraseFile), encoding: .utf8)
    } catch {
      throw CommandFailure("cannot read the passphrase in \(passphraseFile): \(error.systemReason); check the path")
    }
    guard let line = text.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
      throw CommandFailure("\(passphraseFile) holds no passphrase; write one into its first line")
    }
    return String(line)
  }
}
