import Crypto
import Foundation
import SwiftASN1
import X509

/// Issues the three certificates of a local App Store, shaped like those that Apple signs transactions with.
///
/// ```
/// root (P-256, path length 1) ─▸ intermediate (path length 0, OID …6.2.1) ─▸ leaf (signs only, OID …6.11.1)
/// ```
///
/// All are valid from 2020 to the end of 2049, so that a test may set its clock anywhere in between; only
/// a leaf that shall be expired ends earlier. Keys, serial numbers and dates follow from the seed; the certificates'
/// own signatures do not, since an ECDSA signature draws a random number.
struct CertificateAuthority {
  /// A certificate with the key that belongs to it, both as DER and raw bytes, ready to be stored.
  struct Identity: Hashable, Sendable {
    var certificate: [UInt8]
    /// The 32 bytes of the private scalar.
    var privateKey: [UInt8]
  }

  /// The extension by which Apple marks an intermediate certificate of its worldwide developer relations.
  static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
  /// The extension by which Apple marks a leaf certificate that signs receipts of the App Store.
  static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]

  /// 2020-01-01 and 2049-12-31 UTC; later dates need another encoding in a certificate.
  static let notBefore = Date(timeIntervalSince1970: 1_577_836_800)
  static let notAfter = Date(timeIntervalSince1970: 2_524_521_600)

  /// An end of validity that is over at `now`. Certificates end at whole seconds, to which dates are rounded, and
  /// verifiers round the other way: what ended a second ago may still be valid.
  static func lapsedEnd(at now: Date) -> Date { now.addingTimeInterval(-60) }

  private let seed: UInt64
  /// Rises with each rotation, so that no two certificates share a key or a serial number.
  private let generation: Int

  init(seed: UInt64, generation: Int) {
    self.seed = seed
    self.generation = generation
  }

  func root() throws -> Identity {
    let name = try name("Tandem Local App Store Root")
    return try issue(
      Request(role: "root", subject: name, constraints: .isCertificateAuthority(maxPathLength: 1)), by: nil)
  }

  func intermediate(signedBy root: Identity) throws -> Identity {
    let name = try name("Tandem Local App Store Intermediate \(generation)")
    return try issue(
      Request(
        role: "intermediate", subject: name, constraints: .isCertificateAuthority(maxPathLength: 0),
        marker: Self.intermediateMarker), by: root)
  }

  func leaf(signedBy intermediate: Identity, notAfter: Date = Self.notAfter) throws -> Identity {
    let name = try name("Tandem Local App Store Signing \(generation)")
    return try issue(
      Request(
        role: "leaf", subject: name, constraints: .notCertificateAuthority, marker: Self.leafMarker,
        notAfter: notAfter), by: intermediate)
  }
}

// One certificate.
extension CertificateAuthority {
  private struct Request {
    var role: String
    var subject: DistinguishedName
    var constraints: BasicConstraints
    var marker: ASN1ObjectIdentifier?
    var notAfter = CertificateAuthority.notAfter

    var keyUsage: KeyUsage {
      constraints == .notCertificateAuthority
        ? KeyUsage(digitalSignature: true) : KeyUsage(keyCertSign: true, cRLSign: true)
    }
  }

  private func name(_ commonName: String) throws -> DistinguishedName {
    try DistinguishedName {
      CommonName(commonName)
      OrganizationName("Tandem AppStoreTesting")
      CountryName("ZZ")
    }
  }

  /// Signed by `issuer`, or by itself.
  private func issue(_ request: Request, by issuer: Identity?) throws -> Identity {
    var randomness = SeededRandomness(seed: seed, label: "\(request.role) \(generation)")
    let key = try Self.privateKey(&randomness)
    let issuerCertificate = try issuer.map { try Certificate(derEncoded: $0.certificate) }
    let issuerKey = try issuer.map { try P256.Signing.PrivateKey(rawRepresentation: $0.privateKey) } ?? key
    // The first bit stays clear: serial numbers are positive.
    var serial = randomness.bytes(count: 16)
    serial[0] = serial[0] & 0x7F | 0x40
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(bytes: serial),
      publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: Self.notBefore, notValidAfter: request.notAfter,
      issuer: issuerCertificate?.subject ?? request.subject, subject: request.subject,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: extensions(request, Certificate.PublicKey(key.publicKey), issuerKey),
      issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return Identity(certificate: serializer.serializedBytes, privateKey: Array(key.rawRepresentation))
  }

  private func extensions(
    _ request: Request, _ key: Certificate.PublicKey, _ issuerKey: P256.Signing.PrivateKey
  ) throws -> Certificate.Extensions {
    let issuer = SubjectKeyIdentifier(hash: Certificate.PublicKey(issuerKey.publicKey))
    var extensions = try Certificate.Extensions {
      Critical(request.constraints)
      Critical(request.keyUsage)
      SubjectKeyIdentifier(hash: key)
      AuthorityKeyIdentifier(keyIdentifier: issuer.keyIdentifier)
    }
    if let marker = request.marker {
      // The value is an ASN.1 null, as in Apple's certificates.
      try extensions.append(Certificate.Extension(oid: marker, critical: false, value: [0x05, 0x00]))
    }
    return extensions
  }

  private static func privateKey(_ randomness: inout SeededRandomness) throws -> P256.Signing.PrivateKey {
    // Nearly all 32 bytes are a key; the few that are not below the group's order are passed over.
    for _ in 0..<16 {
      do {
        return try P256.Signing.PrivateKey(rawRepresentation: randomness.bytes(count: 32))
      } catch CryptoKitError.incorrectParameterSize {
        preconditionFailure("a P-256 key has 32 bytes")
      } catch {
        continue
      }
    }
    return P256.Signing.PrivateKey()
  }
}
