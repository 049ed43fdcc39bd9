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
    var intermediateKeyUsage: KeyUsage? = KeyUsage(keyCertSign: true, cRLSign: true)
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
    /// Whose key the leaf says has signed it, and whose the intermediate says that it has.
    var keyIdentifiers: (leafIssuer: [UInt8], intermediate: [UInt8])?
    /// Constraints of the leaf in place of ``leafConstraints``, as bytes.
    var leafConstraintBytes: [UInt8]?
    var hasOtherInnerAlgorithm = false
    var version: Certificate.Version = .v3

    static let always = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 4_000_000_000)
  }

  let leafKey: P256.Signing.PrivateKey
  let root: Data
  let intermediate: Data
  let leaf: Data

  /// A certificate whose two times, both UTCTime, have changed places.
  static func withReversedValidity(_ certificate: Data) -> Data {
    let (head, time) = (Data([0x30, 0x1E, 0x17, 0x0D]), 13)
    guard let start = certificate.range(of: head)?.upperBound else { return certificate }
    let (from, to) = (certificate[start..<start + time], certificate[start + time + 2..<start + 2 * time + 2])
    return certificate[..<start] + to + certificate[start + time..<start + time + 2] + from
      + certificate[(start + 2 * time + 2)...]
  }

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
      Self.marker(plan.intermediateMarker) + (plan.hasCriticalExtension.intermediate ? [critical] : [])
        + (try plan.intermediateKeyUsage.map { [try Certificate.Extension($0, critical: true)] } ?? [])
        + (try plan.keyIdentifiers.map { identifiers in
          [
            try Certificate.Extension(
              SubjectKeyIdentifier(keyIdentifier: ArraySlice(identifiers.intermediate)), critical: false)
          ]
        } ?? []))
    let signer = plan.isLeafSignedByStranger ? stranger : plan.isLeafSignedByRoot ? rootKey : intermediateKey
    let issuer = plan.hasForeignIssuerName || plan.isLeafSignedByRoot ? rootName : name
    let sound = try Self.mint(
      leafName, by: issuer, key: leafKey.publicKey, signer: signer, plan.leafDates,
      plan.leafConstraintBytes == nil ? plan.leafConstraints : nil,
      Self.marker(plan.leafMarker) + (plan.hasCriticalExtension.leaf ? [critical] : []) + Self.leafOddities(plan),
      other: plan.leafPublicKey, version: plan.version)
    leaf = plan.hasOtherInnerAlgorithm ? try Self.withOtherInnerAlgorithm(sound, signer) : sound
  }

  private static func leafOddities(_ plan: Plan) throws -> [Certificate.Extension] {
    var extensions: [Certificate.Extension] = []
    if let identifiers = plan.keyIdentifiers {
      let key = AuthorityKeyIdentifier(keyIdentifier: ArraySlice(identifiers.leafIssuer))
      extensions.append(try Certificate.Extension(key, critical: false))
    }
    if let bytes = plan.leafConstraintBytes {
      extensions.append(Certificate.Extension(oid: [2, 5, 29, 19], critical: false, value: ArraySlice(bytes)))
    }
    return extensions
  }

  /// The certificate with ECDSA and SHA-384 named inside, well signed with SHA-256 as it says outside.
  private static func withOtherInnerAlgorithm(_ data: Data, _ signer: P256.Signing.PrivateKey) throws -> Data {
    guard case .constructed(let nodes) = try DER.parse(Array(data)).content else { return data }
    let parts = Array(nodes)
    var signed = Array(parts[0].encodedBytes)
    // 1.2.840.10045.4.3.2, whose last number becomes 3.
    let name: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    guard let start = signed.indices.first(where: { signed[$0...].starts(with: name) }) else { return data }
    signed[start + name.count - 1] = 3
    let signature = try signer.signature(for: Data(signed)).derRepresentation
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { coder in
      coder.serializeRawBytes(signed)
      coder.serializeRawBytes(parts[1].encodedBytes)
      try coder.serialize(ASN1BitString(bytes: ArraySlice(signature)))
    }
    return Data(serializer.serializedBytes)
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
