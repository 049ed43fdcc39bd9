import ArgumentParser
import Foundation
import RecordStore
import RecordSync

extension Key {
  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace the key, and write it for the devices that have it.",
      discussion: """
        Synchronise first: what others wrote with the old key and this device has not
        read comes again only once they have the new one. The next sync writes all that
        this device knows with the new key and removes the files of the old one. Other
        devices are refused until they join again. Prints the new recovery code. Exit
        code 2 if the device has no key, or has left large values in the folder, which
        'tandem sync --large-values always' loads.

        Example: tandem key rotate phone --invitations invitations
        """)

    @OptionGroup var options: KeyOptions
    @OptionGroup var replacement: ReplacementOptions

    func run() throws { try options.changing { try replacement.replace(options, forgetting: nil) } }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace the key because a device is lost, which then gets nothing more.",
      discussion: """
        As 'tandem key rotate', without that device. What the device had read it may
        still have: a key cannot take that back. Say with 'tandem retire' that nothing
        waits for it any more. Exit code 2 if the key was handed to no device of the
        name.

        Example: tandem key forget phone laptop --invitations invitations
        """)

    @OptionGroup var options: KeyOptions

    @Argument(help: "The device's name, as 'tandem key show' lists it.")
    var name: String

    @OptionGroup var replacement: ReplacementOptions

    func run() throws { try options.changing { try replacement.replace(options, forgetting: name) } }
  }

  /// The files to which a replaced key is written, and what may be lost with the former one.
  struct ReplacementOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "An empty folder for an invitation of each device that has the key, <recipient>.age.", valueName: "folder"),
      completion: .directory, transform: GivenPath.text)
    var invitations: String?

    @Flag(help: "Go on although large values that this device has not loaded are lost, unless another one has them.")
    var acceptLoss = false

    func replace(_ options: KeyOptions, forgetting name: String?) throws {
      var file = try options.file()
      try file.rotate(
        forgetting: name, ofStoreAt: options.directory().store(at: options.place()), acceptingLoss: acceptLoss)
      let devices = file.devices
      var handed: [(path: String, bytes: [UInt8])] = []
      for device in invitations == nil ? [] : devices {
        let bytes = try file.invitation(for: device.recipient, named: device.name)
        handed.append(("\(invitations ?? "")/\(device.recipient).age", bytes))
      }
      try prepareFolder()
      // First, so that no device gets a key that this one has not kept.
      try options.write(file)
      let names = devices.map(\.name).joined(separator: ", ")
      do {
        for (path, bytes) in handed { try InvitationFile.write(bytes, path) }
      } catch let error as CommandFailure {
        throw CommandFailure(
          "the key is replaced, but an invitation is missing: \(CommandFailure.cause(error.message)); hand the new key "
            + "to \(names) with 'tandem key add-device'",
          status: .found)
      }
      let hint =
        invitations == nil
        ? "hand the new key to \(names) with 'tandem key add-device'"
        : "run 'tandem key join' with its invitation on \(names)"
      try KeyAnswer(
        place: try options.place(), file: file, showsSecrets: true, written: handed.map(\.path),
        hints: devices.isEmpty ? [] : [hint]
      ).print(options.output)
    }

    private func prepareFolder() throws {
      guard let invitations else { return }
      do {
        try FileManager.default.createDirectory(
          at: URL(fileURLWithPath: invitations), withIntermediateDirectories: true)
        guard try FileItem.names(in: URL(fileURLWithPath: invitations)).isEmpty else {
          throw CommandFailure("\(invitations) is not empty; name an empty folder for the invitations")
        }
      } catch let error as CocoaError {
        throw CommandFailure("cannot use \(invitations): \(error.systemReason); name an empty folder")
      }
    }
  }
}
