import AgeEncryption
import Foundation
import HelperProcess
import Testing

/// With the program `age`, both ways.
struct AgeProgramTests {
  private static let isInstalled = MachineCommand.succeeds("age", "--version")
  private let identity = X25519Identity()
  private let folder = FileManager.default.temporaryDirectory.appending(path: "age-\(UUID().uuidString)")

  private func inFolder(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try body()
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  @Test(.enabled(if: isInstalled, "the program age is not installed"), arguments: [1, 65_536, 65_537, 300_000])
  func `the program age reads what is written here`(count: Int) throws {
    try inFolder {
      let plain = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0) })
      try Data(AgeFile.encrypt(plain, to: [.x25519(identity.recipient)])).write(to: folder.appending(path: "file.age"))
      try Data(identity.secretText.utf8).write(to: folder.appending(path: "key"))
      let command = try MachineCommand(["age", "-d", "-i", path("key"), "-o", path("plain"), path("file.age")])
      #expect(command.status == 0)
      #expect(try Array(Data(contentsOf: folder.appending(path: "plain"))) == plain)
    }
  }

  @Test(.enabled(if: isInstalled, "the program age is not installed"), arguments: [0, 1, 65_536, 65_537, 300_000])
  func `what the program age writes is read here`(count: Int) throws {
    try inFolder {
      let plain = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0) })
      try Data(plain).write(to: folder.appending(path: "plain"))
      let command = try MachineCommand(
        ["age", "-r", "\(identity.recipient)", "-o", path("file.age"), path("plain")])
      #expect(command.status == 0)
      let file = Array(try Data(contentsOf: folder.appending(path: "file.age")))
      #expect(try AgeFile.decrypt(file, with: [.x25519(identity)]) == plain)
      #expect(file.count == AgeFile.byteCount(ofContent: count))
    }
  }

  // MARK: Passphrases

  /// `script` is a terminal for the program, which asks for a passphrase nowhere else.
  private static let asksForPassphrase = isInstalled && MachineCommand.succeeds("script", "--version")

  private func age(_ words: String, answering answers: Int) throws {
    let typed = String(repeating: "a long passphrase\\n", count: answers)
    let command = try MachineCommand(["sh", "-c", "printf '\(typed)' | script -qec 'age \(words)' /dev/null"])
    #expect(command.status == 0, "\(command.lines)")
  }

  @Test(.enabled(if: asksForPassphrase, "the program age, or the program script, is not installed"))
  func `a passphrase of the program age is one here, both ways`() throws {
    try inFolder {
      let plain = [UInt8](0...99)
      try Data(plain).write(to: folder.appending(path: "plain"))
      try age("-p -o \(path("theirs")) \(path("plain"))", answering: 2)
      let theirs = Array(try Data(contentsOf: folder.appending(path: "theirs")))
      #expect(try AgeFile.decrypt(theirs, with: [.passphrase(ScryptPassphrase("a long passphrase"))]) == plain)
      let ours = try AgeFile.encrypt(plain, to: [.passphrase(ScryptPassphrase("a long passphrase", workFactor: 10))])
      try Data(ours).write(to: folder.appending(path: "ours"))
      try age("-d -o \(path("opened")) \(path("ours"))", answering: 1)
      #expect(try Array(Data(contentsOf: folder.appending(path: "opened"))) == plain)
    }
  }
}
