import Crypto
import Foundation
import RecordStore

/// One generation of the certificates and keys; the newest signs. They lie in the ledger, whose file only its owner
/// may read, so that a rotation is one commit for all processes.
struct LedgerSigningChain: LedgerRecord, Hashable {
  static let entityName = "SigningChain"

  let id: RecordID
  var generation = 0
  var rootCertificate = Data()
  var rootKey = Data()
  var intermediateCertificate = Data()
  var intermediateKey = Data()
  var leafCertificate = Data()
  var leafKey = Data()
  /// Whether verifiers shall refuse the leaf.
  var isRevoked = false

  init(id: RecordID) { self.id = id }

  init(_ chain: SigningChain) {
    self.init(id: Self.id(generation: chain.generation))
    generation = chain.generation
    (rootCertificate, rootKey) = (Data(chain.root.certificate), Data(chain.root.privateKey))
    intermediateCertificate = Data(chain.intermediate.certificate)
    intermediateKey = Data(chain.intermediate.privateKey)
    (leafCertificate, leafKey) = (Data(chain.leaf.certificate), Data(chain.leaf.privateKey))
  }

  static func id(generation: Int) -> RecordID { RecordID(high: 2, low: UInt64(generation)) }

  var chain: SigningChain {
    SigningChain(
      generation: generation,
      root: CertificateAuthority.Identity(certificate: Array(rootCertificate), privateKey: Array(rootKey)),
      intermediate: CertificateAuthority.Identity(
        certificate: Array(intermediateCertificate), privateKey: Array(intermediateKey)),
      leaf: CertificateAuthority.Identity(certificate: Array(leafCertificate), privateKey: Array(leafKey)))
  }

  /// As verifiers know a certificate that they shall refuse: SHA-256 of its DER.
  var leafDigest: Data { Data(SHA256.hash(data: leafCertificate)) }

  static let indexes: [IndexDefinition] = []
  static let fields: [LedgerField<LedgerSigningChain>] = [
    LedgerField("generation", \.generation),
    LedgerField("rootCertificate", \.rootCertificate),
    LedgerField("rootKey", \.rootKey),
    LedgerField("intermediateCertificate", \.intermediateCertificate),
    LedgerField("intermediateKey", \.intermediateKey),
    LedgerField("leafCertificate", \.leafCertificate),
    LedgerField("leafKey", \.leafKey),
    LedgerField("isRevoked", \.isRevoked),
  ]
}
