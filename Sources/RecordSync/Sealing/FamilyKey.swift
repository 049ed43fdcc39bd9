import AgeEncryption
import Crypto
package import RecordStore

/// The secret that the devices of one family share, and by which their exchange folder is encrypted.
///
/// ```swift
/// var options = SyncOptions()
/// options.key = try KeyFile(at: keyFileURL).key
/// ```
/// The key is 128 random bits, from which everything else follows: the age identity that opens the files, the code that
/// shows that a holder of the key wrote them, and the names under which they lie. Knowing it is enough to read and
/// write the folder. Its description tells ``id`` alone, so that no log holds the secret. The article Threats says what
/// the key protects.
public struct FamilyKey: Hashable, Sendable, CustomStringConvertible {
  static let secretBytes = 16
  static let idBytes = 16
  private static let prefix = "tandem-key-"

  let secret: [UInt8]
  /// The ids of keys that this one has replaced. What lies in a folder under them is replaced, too.
  public internal(set) var formerIDs: Set<String>
  /// The device's part in a family that was shared; nil: a family of a place, of which all devices write.
  var membership: Membership?

  /// A new one, of the system's random numbers.
  public init() {
    self.init(secret: SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
  }

  init(secret: [UInt8], formerIDs: Set<String> = [], membership: Membership? = nil) {
    self.secret = secret
    self.membership = membership
    self.formerIDs = formerIDs
  }

  /// The key of a secret of 16 bytes, in the place of others. Drawn by nobody: for scenarios, whose runs are alike.
  package init(secret: [UInt8], replacing former: [FamilyKey]) {
    precondition(secret.count == FamilyKey.secretBytes, "a family's secret has \(FamilyKey.secretBytes) bytes")
    self.init(secret: secret, formerIDs: Set(former.map(\.id)))
  }

  /// The key in a shared family, for a device that may begin in an empty folder and signs with `pen`: for scenarios,
  /// whose secrets of 32 bytes nobody draws.
  package func shared(as family: RecordID, founder: [UInt8], pen: [UInt8]) -> FamilyKey {
    guard let founder = FounderKey(secret: founder) else {
      preconditionFailure("32 bytes are a secret key of Ed25519")
    }
    var key = self
    do {
      key.membership = Membership(
        family: family, founder: founder.publicKey, pen: try founder.pen(pen, for: family, keyID: id), isFounder: true)
    } catch {
      preconditionFailure("32 bytes are a secret key of Ed25519: \(error.message)")
    }
    return key
  }

  /// The key of a code that ``recoveryCode`` gave. Letters may be small or capital; spaces and line ends are ignored.
  ///
  /// - Throws: ``SyncError`` `unusableKey` for a code that was written down wrongly: any four wrong letters are told.
  public init(recoveryCode: String) throws(SyncError) {
    let text = recoveryCode.filter { !$0.isWhitespace }
    guard let secret = Bech32.decode(text, prefix: FamilyKey.prefix), secret.count == FamilyKey.secretBytes else {
      throw SyncError(
        .unusableKey,
        "this is not a recovery code: one begins with TANDEM-KEY-1 and has 44 characters beside spaces; compare it "
          + "with what was written down, letter by letter")
    }
    self.init(secret: secret)
  }

  /// The key in letters that a person can write down, in groups of four, with a checksum.
  public var recoveryCode: String {
    let text = Array(Bech32.encode(secret, prefix: FamilyKey.prefix).uppercased())
    let head = FamilyKey.prefix.count + 1
    let groups = stride(from: head, to: text.count, by: 4).map { String(text[$0..<min($0 + 4, text.count)]) }
    return String(text[..<head]) + " " + groups.joined(separator: " ")
  }

  /// A name that tells two keys apart, and nothing of the key itself: 32 hexadecimal digits, which the exchange folder
  /// shows.
  public var id: String { ContentHash(bytes: derived("id", for: [], count: ContentHash.byteCount)).name }

  /// The id, and nothing secret.
  public var description: String { "the key \(id)" }

  /// A new key in this one's place, of nobody's membership.
  ///
  /// What lies in folders with this one is lost to holders of the new one: large values, too, that no device has
  /// loaded. ``KeyFile/rotate(forgetting:ofStoreAt:acceptingLoss:)`` refuses such a loss.
  public func rotated() -> FamilyKey {
    var key = FamilyKey()
    key.formerIDs = formerIDs.union([id])
    return key
  }

  /// Bytes for one purpose and one family.
  func derived(_ purpose: String, for family: [UInt8], count: Int) -> [UInt8] {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), salt: family, info: Array("tandem family key 1 \(purpose)".utf8),
      outputByteCount: count
    ).withUnsafeBytes { Array($0) }
  }
}
