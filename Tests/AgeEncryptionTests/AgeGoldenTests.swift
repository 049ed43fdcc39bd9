import AgeEncryption
import Foundation
import Testing

/// Files that the first version of the writer made. They must read for ever.
struct AgeGoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden/age-1").standardizedFileURL

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.folder.appending(path: name)))
  }

  @Test func `files for a recipient and for a passphrase read`() throws {
    let content = (0..<66_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let text = String(decoding: try bytes("identity.txt"), as: UTF8.self).trimmingCharacters(in: .newlines)
    #expect(try AgeFile.decrypt(bytes("recipient.age"), with: [.x25519(X25519Identity(text))]) == content)
    let passphrase = ScryptPassphrase("golden")
    #expect(try AgeFile.decrypt(bytes("passphrase.age"), with: [.passphrase(passphrase)]) == content)
  }
}
