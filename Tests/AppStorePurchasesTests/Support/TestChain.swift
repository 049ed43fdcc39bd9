import Crypto
import Foundation
import SwiftASN1
import X509

/// Root, intermediate and leaf certificates minted for one test, with a knob for each thing that can be wrong.
struct TestChain {
  /// What the certificates are to be. The defaults make a chain that is believed.
  struct Plan: Sendable {
    var intermediateMarker: ASN1ObjectIdentifier? = [1, 2, 840, 113635, 100, 6, 2, 1]
    var leafMarker: ASN1ObjectIdentifier? = [1, 2, 840, 113635, 100, 6, 11, 1]
    var intermediateConstraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: 0)
    var rootConstraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: nil)
    var leafConstraints: BasicConstraints? = .notCertificateAuthority
    var hasCriticalExtension = (leaf: false, intermediate: false)
    var leafDates = Self.always
    var intermediateDates = Self.always
    var rootDates = Self.always
    var leafPublicKey: Certificate.PublicKey?
    var isLeafSignedByRoot = false
    var isLeafSignedByStranger = false
    var hasForeignIssuerName = false
    var hasSecondIntermediate = false
    var version: Certificate.Version = .v3

    static let always = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 4_000_000_000)
  }

  let leafKey: P256.Signing.PrivateKey
  let root: Data
  let intermediate: Data
  let leaf: Data

  var x5c: [String] { [leaf, intermediate, root].map { $0.base64EncodedString() } }

  init(_ plan: Plan = Plan()) throws {
    let (rootKey, intermediateKey, stranger) = (Self.key(), Self.key(), Self.key())
    leafKey = Self.key()
    let rootName = try DistinguishedName { CommonName("Test Root") }
    let name = try DistinguishedName { CommonName("Test Intermediate") }
    let leafName = try DistinguishedName { CommonName("Test Leaf") }
    let critical = Certificate.Extension(oid: [1, 3, 9999, 7], critical: true, value: [5, 0])
    var middleKey = rootKey
    var middleName = rootName
    if plan.hasSecondIntermediate {
      (middleKey, middleName) = (Self.key(), try DistinguishedName { CommonName("More") })
    }
    root = try Self.mint(
      rootName, by: rootName, key: rootKey.publicKey, signer: rootKey, plan.rootDates, plan.rootConstraints, [])
    intermediate = try Self.mint(
      name, by: middleName, key: intermediateKey.publicKey, signer: middleKey, plan.intermediateDates,
      plan.intermediateConstraints,
      Self.marker(plan.intermediateMarker) + (plan.hasCriticalExtension.intermediate ? [critical] : []))
    let signer = plan.isLeafSignedByStranger ? stranger : plan.isLeafSignedByRoot ? rootKey : intermediateKey
    let issuer = plan.hasForeignIssuerName || plan.isLeafSignedByRoot ? rootName : name
    leaf = try Self.mint(
      leafName, by: issuer, key: leafKey.publicKey, signer: signer, plan.leafDates, plan.leafConstraints,
      Self.marker(plan.leafMarker) + (plan.hasCriticalExtension.leaf ? [critical] : []), other: plan.leafPublicKey,
      version: plan.version)
  }

  private static func key() -> P256.Signing.PrivateKey { P256.Signing.PrivateKey() }

  private static func marker(_ oid: ASN1ObjectIdentifier?) -> [Certificate.Extension] {
    oid.map { [Certificate.Extension(oid: $0, critical: false, value: [5, 0])] } ?? []
  }

  private static func mint(
    _ subject: DistinguishedName, by issuer: DistinguishedName, key: P256.Signing.PublicKey,
    signer: P256.Signing.PrivateKey, _ dates: ClosedRange<Date>, _ constraints: BasicConstraints?,
    _ more: [Certificate.Extension], other: Certificate.PublicKey? = nil, version: Certificate.Version = .v3
  ) throws -> Data {
    let basic = try constraints.map { [try Certificate.Extension($0, critical: true)] } ?? []
    let certificate = try Certificate(
      version: version, serialNumber: Certificate.SerialNumber(), publicKey: other ?? Certificate.PublicKey(key),
      notValidBefore: dates.lowerBound, notValidAfter: dates.upperBound, issuer: issuer, subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: try Certificate.Extensions(basic + more),
      issuerPrivateKey: Certificate.PrivateKey(signer))
    var serializer = DER.Serializer()
    try certificate.serialize(into: &serializer)
    return Data(serializer.serializedBytes)
  }
}
