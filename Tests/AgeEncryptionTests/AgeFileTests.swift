import AgeEncryption
import Foundation
import Testing

struct AgeFileTests {
  private let identity = X25519Identity()

  private func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

  private func encrypt(_ plain: [UInt8]) throws -> [UInt8] {
    try AgeFile.encrypt(plain, to: [.x25519(identity.recipient)])
  }

  private func decrypt(_ file: [UInt8]) throws -> [UInt8] { try AgeFile.decrypt(file, with: [.x25519(identity)]) }

  @Test(arguments: [0, 1, 15, 65_535, 65_536, 65_537, 131_072, 200_000])
  func `content of any length comes back, and the file's length follows from it`(count: Int) throws {
    let file = try encrypt(content(count))
    #expect(try decrypt(file) == content(count))
    #expect(file.count == AgeFile.byteCount(ofContent: count))
    #expect(AgeFile.contentByteCount(ofFile: file.count) == count)
  }

  @Test func `no content has the length of a file that no writer makes`() {
    for count in 0..<200 { #expect(AgeFile.contentByteCount(ofFile: count) == nil) }
    let full = AgeFile.byteCount(ofContent: 65_536)
    for count in 1...16 { #expect(AgeFile.contentByteCount(ofFile: full + count) == nil) }
    #expect(AgeFile.contentByteCount(ofFile: full + 17) == 65_537)
  }

  @Test(arguments: [1, 7, 64, 65_536, 65_552, 70_001])
  func `pieces of any size make the same file and the same content`(size: Int) throws {
    let plain = content(150_000)
    let recipient = identity.recipient
    let pieces = stride(from: 0, to: plain.count, by: size).map { plain[$0..<min($0 + size, plain.count)] }
    var file: [UInt8] = []

    var encryptor = try AgeEncryptor(to: [.x25519(recipient)])
    for piece in pieces { try encryptor.update(piece, into: &file) }
    try encryptor.finish(into: &file)
    #expect(try decrypt(file) == plain)
    var decryptor = AgeDecryptor([.x25519(identity)])
    var output: [UInt8] = []
    for start in stride(from: 0, to: file.count, by: size) {
      try decryptor.update(file[start..<min(start + size, file.count)], into: &output)
    }
    try decryptor.finish(into: &output)
    #expect(output == plain)
  }

  @Test func `every file that was cut short is refused`() throws {
    let file = try encrypt(content(100))
    // Of content of less than a chunk: a nonce, the chunk and its tag.
    let headerByteCount = file.count - (16 + 100 + 16)
    for count in 0..<file.count {
      let refusal = #expect(throws: AgeError.self) { try decrypt(Array(file.prefix(count))) }
      #expect(refusal?.code == (count < headerByteCount ? .malformedHeader : .damagedPayload), "\(count)")
    }
    let long = try encrypt(content(140_000))
    for lost in [1, 16, 8_944, 8_945, 8_960, 74_496, 74_512] {
      let refusal = #expect(throws: AgeError.self) { try decrypt(Array(long.dropLast(lost))) }
      #expect(refusal?.code == .damagedPayload, "\(lost)")
    }
  }

  @Test func `a change of any byte is told`() throws {
    let file = try encrypt(content(100))
    for index in file.indices {
      var changed = file
      changed[index] ^= 1
      let refusal = #expect(throws: AgeError.self) { try decrypt(changed) }
      let isInPayload = index >= file.count - (16 + 100 + 16)
      #expect(isInPayload ? refusal?.code == .damagedPayload : refusal?.code != .damagedPayload, "byte \(index)")
    }
    #expect(#expect(throws: AgeError.self) { try decrypt(file + [0]) }?.code == .damagedPayload)
  }

  @Test func `chunks in another order, doubled or left out are refused`() throws {
    let file = try encrypt(content(65_536 * 2 + 10))
    let (start, first, rest) = (file.prefix(184), file[184..<65_736], file[65_736...])
    let (second, last) = (rest.prefix(65_552), rest.dropFirst(65_552))
    for wrong in [second + first + last, first + first + last, first + last, first + second] {
      #expect(throws: PayloadRefusal.self) { try refusal { try decrypt(Array(start + wrong)) } }
    }
  }

  @Test func `a file for several keys is read by each, and by no other`() throws {
    let others = [X25519Identity(), X25519Identity()]
    let file = try AgeFile.encrypt([1, 2, 3], to: ([identity] + others).map { .x25519($0.recipient) })
    for reader in [identity] + others { #expect(try AgeFile.decrypt(file, with: [.x25519(reader)]) == [1, 2, 3]) }
    let error = #expect(throws: AgeError.self) { try AgeFile.decrypt(file, with: [.x25519(X25519Identity())]) }
    #expect(error?.code == .wrongKey)
  }

  @Test func `a passphrase opens what it closed`() throws {
    let file = try AgeFile.encrypt([1, 2, 3], to: [.passphrase(ScryptPassphrase("Öl im Tee", workFactor: 4))])
    #expect(try AgeFile.decrypt(file, with: [.passphrase(ScryptPassphrase("Öl im Tee"))]) == [1, 2, 3])
    let error = #expect(throws: AgeError.self) {
      try AgeFile.decrypt(file, with: [.passphrase(ScryptPassphrase("Oel im Tee"))])
    }
    #expect(error?.code == .wrongKey)
  }

  @Test func `a passphrase that asks for hours of work is refused at once`() throws {
    let file = try AgeFile.encrypt([1], to: [.passphrase(ScryptPassphrase("a", workFactor: 4))])
    let dear = Array(String(decoding: file.prefix(80), as: UTF8.self).replacing(" 4\n", with: " 40\n").utf8)
    let error = #expect(throws: AgeError.self) {
      try AgeFile.decrypt(dear + file.dropFirst(80), with: [.passphrase(ScryptPassphrase("a"))])
    }
    #expect(error?.code == .malformedHeader)
  }

  @Test func `a header without an end is refused before it takes memory`() {
    let endless = Array("age-encryption.org/v1\n".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 100_000)
    let error = #expect(throws: AgeError.self) { try decrypt(endless) }
    #expect(error?.code == .malformedHeader)
  }

  @Test func `keys have the texts of age, and no description tells a secret`() throws {
    #expect(identity.recipient.description.hasPrefix("age1"))
    #expect(try X25519Recipient(identity.recipient.description) == identity.recipient)
    #expect(identity.secretText.hasPrefix("AGE-SECRET-KEY-1"))
    #expect(try X25519Identity(identity.secretText) == identity)
    #expect(!"\(identity)".contains("SECRET"))
    for wrong in ["", "age1", identity.recipient.description.uppercased(), identity.recipient.description + "q"] {
      #expect(#expect(throws: AgeError.self) { try X25519Recipient(wrong) }?.code == .malformedKey)
    }
    let refusal = #expect(throws: AgeError.self) { try X25519Identity(identity.secretText.lowercased()) }
    #expect(refusal?.code == .malformedKey)
  }

  @Test func `each wrong letter of a key is told`() {
    let text = Array(identity.secretText)
    for index in text.indices {
      var wrong = text
      wrong[index] = wrong[index] == "Q" ? "P" : "Q"
      #expect(#expect(throws: AgeError.self) { try X25519Identity(String(wrong)) }?.code == .malformedKey)
    }
  }

  private struct PayloadRefusal: Error {}

  private func refusal(_ body: () throws -> [UInt8]) throws {
    do {
      _ = try body()
    } catch let error as AgeError where error.code == .damagedPayload {
      throw PayloadRefusal()
    }
  }
}
