import AppStorePurchases
import Foundation
import TestSupport
import Testing

@testable import AppStoreTesting

/// Tokens are checked with programs that share no code with this package. Where one is not installed its test is
/// skipped, and says so.
@Suite struct `Independent verification` {
  static let openssl = findProgram("openssl")
  static let python = findProgram("python3").flatMap { path in
    (try? run(path, ["-c", "import cryptography"]))?.status == 0 ? path : nil
  }

  @Test(.enabled(if: openssl != nil, "openssl is not installed"))
  func `openssl believes the certificates and the signature of a token`() async throws {
    try await withAppStore { appStore in
      let openssl = try #require(Self.openssl)
      try await appStore.phone().bought(ShopFixture.credit)
      let files = try TokenFiles(
        try await appStore.signedTransaction(0, device: "phone"), in: appStore.directory,
        root: try await appStore.rootCertificatePEM())
      let chain = try run(
        openssl,
        ["verify", "-x509_strict", "-CAfile", files.root, "-untrusted", files.intermediate, files.leaf])
      #expect(chain.status == 0, "\(chain.output)")
      let key = try run(openssl, ["x509", "-in", files.leaf, "-pubkey", "-noout"])
      try Data(key.output.utf8).write(to: URL(fileURLWithPath: files.key))
      let arguments = ["dgst", "-sha256", "-verify", files.key, "-signature", files.signature]
      let signature = try run(openssl, arguments + [files.signed])
      #expect(signature.status == 0, "\(signature.output)")
      let other = try run(openssl, arguments + [files.root])
      #expect(other.status != 0, "it would notice another text")
      let text = try run(openssl, ["x509", "-in", files.leaf, "-text", "-noout"]).output
      #expect(text.contains("1.2.840.113635.100.6.11.1"))
      let above = try run(openssl, ["x509", "-in", files.intermediate, "-text", "-noout"]).output
      #expect(above.contains("1.2.840.113635.100.6.2.1"))
    }
  }

  @Test(.enabled(if: python != nil, "python3 with the package cryptography is not installed"))
  func `python's cryptography believes the certificates and the signature of a token`() async throws {
    try await withAppStore { appStore in
      let python = try #require(Self.python)
      try await appStore.phone().bought(ShopFixture.credit)
      let token = try await appStore.signedTransaction(0, device: "phone")
      let root = try await appStore.rootCertificate().base64EncodedString()
      let sound = try run(python, ["-c", Self.script, token, root])
      #expect(sound.output == "0 com.example.stars\n")
      #expect(sound.status == 0)
      try await appStore.simulate(.invalidSignature)
      guard case .success(let result) = try await appStore.phone().buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "no purchase")
      }
      #expect(try run(python, ["-c", Self.script, result.jwsRepresentation, root]).status != 0)
    }
  }

  /// Takes a token and a root, prints the transaction's id and the bundle id, and fails if anything is not right.
  private static let script = """
    import base64, json, sys
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    def part(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    header, payload, signature = sys.argv[1].split(".")
    chain = [x509.load_der_x509_certificate(base64.b64decode(c)) for c in json.loads(part(header))["x5c"]]
    root = x509.load_der_x509_certificate(base64.b64decode(sys.argv[2]))
    assert chain[2] == root
    chain[0].verify_directly_issued_by(chain[1])
    chain[1].verify_directly_issued_by(root)
    root.verify_directly_issued_by(root)
    raw = part(signature)
    assert len(raw) == 64
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    chain[0].public_key().verify(der, (header + "." + payload).encode(), ec.ECDSA(hashes.SHA256()))
    claims = json.loads(part(payload))
    print(claims["transactionId"], claims["bundleId"])
    """
}

/// The parts of a token as files that `openssl` reads.
private struct TokenFiles {
  let root: String
  let intermediate: String
  let leaf: String
  let key: String
  let signed: String
  let signature: String

  init(_ token: String, in folder: URL, root pem: String) throws {
    func write(_ name: String, _ data: Data) throws -> String {
      let file = folder.appendingPathComponent(name)
      try data.write(to: file)
      return file.path
    }
    func certificate(_ base64: String) -> Data {
      Data("-----BEGIN CERTIFICATE-----\n\(Self.lines(base64))\n-----END CERTIFICATE-----\n".utf8)
    }
    let parts = token.split(separator: ".").map(String.init)
    struct Header: Decodable { let x5c: [String] }
    let header = try JSONDecoder().decode(Header.self, from: #require(Base64URL.decode(parts[0])))
    root = try write("root.pem", Data(pem.utf8))
    leaf = try write("leaf.pem", certificate(header.x5c[0]))
    intermediate = try write("intermediate.pem", certificate(header.x5c[1]))
    key = folder.appendingPathComponent("key.pem").path
    signed = try write("signed.txt", Data("\(parts[0]).\(parts[1])".utf8))
    signature = try write("signature.der", Self.der(#require(Base64URL.decode(parts[2]))))
  }

  private static func lines(_ base64: String) -> String {
    stride(from: 0, to: base64.count, by: 64).map { String(base64.dropFirst($0).prefix(64)) }.joined(separator: "\n")
  }

  /// The two numbers of a raw signature as an ASN.1 sequence.
  private static func der(_ raw: Data) throws -> Data {
    func integer(_ bytes: Data) -> Data {
      var digits = Data(bytes.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: digits.startIndex) }
      return Data([0x02, UInt8(digits.count)]) + digits
    }
    try #require(raw.count == 64)
    let body = integer(raw.prefix(32)) + integer(raw.suffix(32))
    return Data([0x30, UInt8(body.count)]) + body
  }
}

private func findProgram(_ name: String) -> String? {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}
