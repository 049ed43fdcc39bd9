import ArgumentParser
import RecordSync

extension Key {
  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key for a store's family, on its first device.",
      discussion: """
        Prints the recovery code: write it down and keep it apart from the devices, for
        it is the key. Other devices get the key by 'tandem key join' and 'add-device'.
        What lies in an exchange folder in clear stays there until it is removed. Exit
        code 2 if the device has a key.

        Example: tandem key new phone
        """)

    @OptionGroup var options: KeyOptions

    func run() throws { try options.changing(make) }

    private func make() throws {
      let place = try options.place()
      var file = try options.fileIfPresent() ?? KeyFile(family: place.familyID)
      guard file.key == nil else {
        throw CommandFailure("\(options.device) has a key for \(place) already; 'tandem key rotate' replaces it")
      }
      file.key = FamilyKey()
      try options.write(file)
      try KeyAnswer(place: place, file: file, showsSecrets: true).print(options.output)
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show which key a device has, and to whom it was handed.",
      discussion: """
        The number of the key is no secret: two devices that show the same one can read
        each other's files. --secrets adds the recovery code, and the identity by which
        'age -d -i' opens any file of the folder. Exit code 2 if there is no key file.

        Example: tandem key show phone --secrets
        """)

    @Flag(help: "Show what reads the folder, too.")
    var secrets = false

    @OptionGroup var options: KeyOptions

    func run() throws {
      try KeyAnswer(place: try options.place(), file: try options.file(), showsSecrets: secrets).print(options.output)
    }
  }
}
