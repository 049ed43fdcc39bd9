import ArgumentParser
import Foundation
import RecordStore
import RecordSync

extension Key {
  struct AddDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add-device",
      abstract: "Hand the key to another device.",
      discussion: """
        RECIPIENT is what 'tandem key join' prints on the other device. The invitation
        is an age file that only that device can open; it may travel in any way. Exit
        code 2 if the device has no key, or the file is there already.

        Example: tandem key add-device phone age1… --name laptop --output laptop.age
        """)

    @OptionGroup var options: KeyOptions

    @Argument(help: ArgumentHelp("The other device's recipient.", valueName: "recipient"))
    var recipient: String

    @Option(help: "How you call the other device.")
    var name: String

    @Option(
      name: .customLong("output"), help: ArgumentHelp("The invitation.", valueName: "file"), completion: .file(),
      transform: GivenPath.text)
    var invitation: String

    func run() throws { try options.changing(add) }

    private func add() throws {
      var file = try options.file()
      let bytes = try file.invitation(for: recipient, named: name)
      try InvitationFile.write(bytes, invitation)
      try options.write(file)
      try KeyAnswer(
        place: try options.place(), file: file, written: [invitation],
        hints: ["run 'tandem key join' with \(invitation) on \(name), and compare the key's number"]
      ).print(options.output)
    }
  }

  struct Join: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ask for the key, take it from an invitation, or from the recovery code.",
      discussion: """
        Without an invitation prints this device's recipient, which 'tandem key
        add-device' asks for. With one takes the key from it: compare its number with
        what 'tandem key show' prints on the other device, since knowing the recipient
        is enough to make an invitation. --recovery-code reads the code from standard
        input. A key that the device had is replaced. Exit code 2 if it cannot be used.

        Example: tandem key join laptop --only group.com.example/Books laptop.age
        """)

    @OptionGroup var options: KeyOptions

    @Argument(
      help: ArgumentHelp("What 'tandem key add-device' wrote.", valueName: "invitation"), completion: .file(),
      transform: GivenPath.text)
    var invitation: String?

    @Flag(help: "Take the key from the recovery code on standard input.")
    var recoveryCode = false

    func validate() throws {
      if recoveryCode, invitation != nil { throw ValidationError("give an invitation or --recovery-code, not both") }
    }

    func run() throws {
      let code = recoveryCode ? readLine() ?? "" : nil
      try options.changing { try join(code) }
    }

    private func join(_ code: String?) throws {
      let place = try options.place()
      var file = try options.fileIfPresent() ?? KeyFile(family: place.familyID)
      if let invitation {
        try file.join(try Join.bytes(of: invitation))
      } else if let code {
        file.key = try FamilyKey(recoveryCode: code)
      }
      try options.write(file)
      let hint = "run 'tandem key add-device' with this recipient on a device that has the key"
      try KeyAnswer(place: place, file: file, hints: file.key == nil ? [hint] : []).print(options.output)
    }

    private static func bytes(of path: String) throws -> [UInt8] {
      do {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        // No invitation is longer.
        return Array(try handle.read(upToCount: 1 << 17) ?? Data())
      } catch {
        throw CommandFailure("cannot read \(path): \(error.systemReason); name what 'tandem key add-device' wrote")
      }
    }
  }
}
