import ArgumentParser

/// A passphrase that protects an invitation on its way.
struct InvitationSecrecy: ParsableArguments {
  @Option(
    help: ArgumentHelp("The first line of this file protects the invitation.", valueName: "file"), completion: .file(),
    transform: GivenPath.text)
  var passphraseFile: String?

  func passphrase() throws -> String? {
    var options = PassphraseOptions()
    options.passphraseFile = passphraseFile
    return try options.passphrase()
  }
}
