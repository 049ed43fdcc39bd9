import AgeEncryption
import Crypto
import CryptoExtras
import RecordStore

/// Encrypts what lies in one family's exchange folder, and tells whether a holder of the family's key wrote it.
///
/// A sealed file is an age file for one X25519 recipient, which nobody publishes. Its plaintext is the file as it would
/// lie in a folder without a key, then 40 bytes:
///
/// | offset from the end | bytes | |
/// |---|---|---|
/// | 40 | 32 | HMAC-SHA-256 of: `tandem sealed file 1`, 0 · store id · length of the place u32 · place · the file |
/// | 8 | 8 | magic `TNDMSEAL` |
///
/// The place is the path below the folder's root, with the names that the content has: `r/<replica>/s` of a change set,
/// which tells its own name; the whole path of heads and of parts of snapshots. age says for whom a file is. The code
/// says that a holder of the secret wrote it, and for which place. So a file is refused that somebody else made, or
/// that was moved to another name, replica or family.
///
/// In a shared family not every holder of the secret may write. There a ``SignedTrailer`` stands in the place of the 40
/// bytes, and the founder's certificate in it says that the writer may.
///
/// A hash in a name would show a guessed content to be there. Each is encrypted as one block of AES-128.
struct FileSeal: Hashable, Sendable {
  private static let magic = Array("TNDMSEAL".utf8)
  private static let codeBytes = 32

  let key: FamilyKey
  let storeID: RecordID
  private let family: [UInt8]
  private let identity: X25519Identity
  private let code: [UInt8]
  private let names: [UInt8]
  let mutation: RuleMutation?

  init(_ key: FamilyKey, storeID: RecordID, mutation: RuleMutation? = nil) {
    self.key = key
    self.storeID = storeID
    self.mutation = mutation
    var writer = FileWriter()
    writer.put(storeID)
    family = writer.bytes
    do {
      identity = try X25519Identity(secret: key.derived("age identity", for: family, count: 32))
    } catch {
      preconditionFailure("32 bytes are a secret key of X25519: \(error.message)")
    }
    code = key.derived("authenticity", for: family, count: 32)
    names = key.derived("names", for: family, count: 16)
  }

  private var trailerBytes: Int {
    key.membership == nil ? FileSeal.codeBytes + FileSeal.magic.count : SignedTrailer.byteCount
  }

  /// The identity by which the program `age` opens the family's files.
  var ageIdentity: String { identity.secretText }

  // MARK: Contents

  /// Throws ``SyncError`` `readOnly` on the device of a reader.
  func seal(_ content: [UInt8], at place: String) throws -> [UInt8] {
    if key.isReader { throw FileSeal.readOnly(place) }
    do {
      return try AgeFile.encrypt(content + trailer(of: content, at: place), to: [.x25519(identity.recipient)])
    } catch {
      throw SyncError(.unusableKey, "cannot encrypt \(place): \(error)", cause: error)
    }
  }

  private static func readOnly(_ place: String) -> SyncError {
    SyncError(
      .readOnly,
      "cannot write \(place), for this device only reads in its family: ask for an invitation to write")
  }

  private func trailer(of content: [UInt8], at place: String) throws -> [UInt8] {
    guard let membership = key.membership, let pen = membership.pen else {
      return authentication(of: content[...], at: place) + FileSeal.magic
    }
    return try SignedTrailer(content, at: place, by: pen, of: membership, keyID: key.id).bytes
  }

  /// Throws ``SyncError`` `damagedFile` or `foreignFile`; `subject` names the file in the message.
  func open(_ file: [UInt8], at place: String, subject: String) throws -> [UInt8] {
    let plain: [UInt8]
    do {
      plain = try plaintext(of: file)
    } catch let error as AgeError {
      throw FileSeal.refusal(of: file, error, subject)
    }
    let content = plain.dropLast(trailerBytes)
    if let membership = key.membership {
      guard let trailer = SignedTrailer(endOf: plain),
        trailer.vouches(for: content, at: place, in: membership, keyID: key.id)
      else {
        throw SyncError(
          .foreignFile,
          "\(subject) was not written for this place by a writer of the family: a reader or somebody else made, moved "
            + "or changed it; remove it")
      }
      return Array(content)
    }
    guard plain.suffix(FileSeal.magic.count).elementsEqual(FileSeal.magic), plain.count >= trailerBytes,
      isAuthentic(plain[content.endIndex..<content.endIndex + FileSeal.codeBytes], content, at: place)
    else {
      throw SyncError(
        .foreignFile,
        "\(subject) was not written for this place by a device of the family: it was moved, renamed or made by "
          + "somebody else; remove it")
    }
    return Array(content)
  }

  /// Throws ``AgeError``. Nobody vouches for it yet.
  func plaintext(of file: [UInt8]) throws -> [UInt8] { try AgeFile.decrypt(file, with: [.x25519(identity)]) }

  // MARK: Large values

  /// Encrypts a value, or a piece of it, which has no place in memory. The file is the same at each attempt, so that
  /// one can go on where another was cut off: what age draws by lot follows from the family's secret, the digest, and
  /// the place of the bytes in the value, which together stand for one content alone. Throws ``SyncError`` `readOnly`
  /// on the device of a reader.
  func encryptor(of slice: ValueSlice, at place: String) throws -> PieceEncryptor {
    if key.isReader { throw FileSeal.readOnly(place) }
    var writer = FileWriter()
    writer.put(raw: family + slice.value.digest)
    if slice.index != nil {
      writer.put(UInt64(slice.range.lowerBound))
      writer.put(UInt64(slice.range.count))
    }
    let purpose = slice.index == nil ? "value" : "piece of a value"
    let seed = key.derived(purpose, for: writer.bytes, count: AgeSeed.byteCount)
    return PieceEncryptor(try AgeEncryptor(to: identity.recipient, seed: AgeSeed(seed)))
  }

  func decryptor() -> PieceDecryptor { PieceDecryptor(AgeDecryptor([.x25519(identity)])) }

  static func refusal(of file: [UInt8], _ error: AgeError, _ subject: String) -> SyncError {
    switch error.code {
    case .wrongKey:
      SyncError(.foreignFile, "\(subject) is encrypted with another key than this family's; remove it", cause: error)
    case .malformedHeader where file.starts(with: Array("TNDM".utf8)):
      SyncError(
        .foreignFile, "\(subject) is not encrypted, and this family takes encrypted files alone; remove it",
        cause: error)
    default:
      SyncError(
        .damagedFile,
        "\(subject) is incomplete or damaged, for \(error.message); it is taken when a whole copy has arrived",
        cause: error)
    }
  }

  private func authentication(of content: ArraySlice<UInt8>, at place: String) -> [UInt8] {
    Array(authenticator(of: content, at: place).finalize())
  }

  private func isAuthentic(_ found: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>, at place: String) -> Bool {
    if mutation == .codeNotCompared { return true }
    // In a time that does not tell how many bytes are right.
    return zip(authentication(of: content, at: place), found).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func authenticator(of content: ArraySlice<UInt8>, at place: String) -> HMAC<SHA256> {
    var writer = FileWriter()
    writer.put(raw: Array("tandem sealed file 1".utf8) + [0])
    writer.put(raw: family)
    writer.put(place)
    var code = HMAC<SHA256>(key: SymmetricKey(data: code))
    code.update(data: writer.bytes)
    code.update(data: content)
    return code
  }

  func byteCount(ofContent count: Int) -> Int { AgeFile.byteCount(ofContent: count + trailerBytes) }

  /// Nil where no sealed file is so long.
  func contentByteCount(ofFile count: Int) -> Int? {
    AgeFile.contentByteCount(ofFile: count).map { $0 - trailerBytes }.flatMap { $0 >= 0 ? $0 : nil }
  }

  // MARK: Names

  /// The name under which a hash of 32 hexadecimal digits lies there.
  func hidden(_ hash: String) -> String { permuted(hash, AES.permute) }

  /// The opposite of ``hidden(_:)``.
  func shown(_ hidden: String) -> String { permuted(hidden, AES.inversePermute) }

  private func permuted(_ hash: String, _ permute: (inout [UInt8], SymmetricKey) throws -> Void) -> String {
    let digits = Array(hash)
    var block = stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
    do {
      try permute(&block, SymmetricKey(data: names))
    } catch {
      preconditionFailure("a hash in a name is one block, and its key has 16 bytes: \(error)")
    }
    return ContentHash(bytes: block).name
  }
}
