import Crypto
import RecordStore

/// The end of a file's plaintext in a shared family: the writer's signature, and the founder's for the writer.
///
/// | offset from the end | bytes | |
/// |---|---|---|
/// | 168 | 96 | the writer's ``WriterCertificate`` |
/// | 72 | 64 | the writer's Ed25519 signature |
/// | 8 | 8 | magic `TNDMSIGN` |
///
/// Signed is: `tandem signed file 1`, 0 · family · id of the key · length of the place u32 · place · SHA-256 of
/// the file.
struct SignedTrailer {
  static let magic = Array("TNDMSIGN".utf8)
  static let byteCount = WriterCertificate.byteCount + WriterCertificate.signatureBytes + magic.count

  let certificate: WriterCertificate
  let signature: [UInt8]

  var bytes: [UInt8] { certificate.bytes + signature + SignedTrailer.magic }

  init(_ content: [UInt8], at place: String, by pen: WriterPen, of membership: Membership, keyID: String) throws {
    certificate = pen.certificate
    signature = try pen.signature(
      of: SignedTrailer.message(content[...], at: place, family: membership.family, keyID: keyID))
  }

  /// Nil for what does not end as one does.
  init?(endOf plain: [UInt8]) {
    guard plain.count >= SignedTrailer.byteCount, plain.suffix(SignedTrailer.magic.count) == SignedTrailer.magic[...]
    else { return nil }
    let trailer = plain.suffix(SignedTrailer.byteCount)
    certificate = WriterCertificate(trailer.prefix(WriterCertificate.byteCount))
    signature = Array(trailer.dropFirst(WriterCertificate.byteCount).prefix(WriterCertificate.signatureBytes))
  }

  /// Whether the founder lets the holder of the signing key write, and that one signed this content for this place.
  func vouches(for content: ArraySlice<UInt8>, at place: String, in membership: Membership, keyID: String) -> Bool {
    let message = SignedTrailer.message(content, at: place, family: membership.family, keyID: keyID)
    return certificate.isValid(founder: membership.founder, family: membership.family, keyID: keyID)
      && Ed25519.isValid(signature, of: message, by: certificate.publicKey)
  }

  private static func message(
    _ content: ArraySlice<UInt8>, at place: String, family: RecordID, keyID: String
  ) -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: Array("tandem signed file 1".utf8) + [0])
    writer.put(family)
    writer.put(raw: keyID.utf8)
    writer.put(place)
    var hash = SHA256()
    hash.update(data: content)
    writer.put(raw: Array(hash.finalize()))
    return writer.bytes
  }
}
