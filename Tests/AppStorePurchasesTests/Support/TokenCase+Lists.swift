import AppStorePurchases
import Crypto
import Foundation
import SwiftASN1
import X509

extension TokenCase {
  static let good: [TokenCase] = [
    good("as it should be") { _ in },
    good("unknown members in the header") { $0.header["jku"] = "https://example.com/keys" },
    good("unknown members in the payload") { $0.payload["later"] = ["deep": [1, 2]] as [String: [Int]] },
    good("a third certificate that is nothing of ours") { $0.certificates = { [$0.x5c[0], $0.x5c[1], "AAAA"] } },
    good("no account token") { $0.payload["appAccountToken"] = nil },
    good("no price, as in old tokens") { $0.payload["price"] = nil },
    good("the largest quantity") { $0.payload["quantity"] = 10 },
    good("revoked") { $0.payload.merge(["revocationDate": 1_780_000_000_000, "revocationReason": 1]) { $1 } },
    good("a fraction of a millisecond") { $0.payload["purchaseDate"] = 1_779_999_000_000.5 },
    good("the largest id") { $0.payload["transactionId"] = "18446744073709551615" },
    good("not bound, and no device configured") {
      $0.payload["deviceVerification"] = nil
      $0.deviceID = nil
    },
    good("a product type that is not known yet") { $0.payload["type"] = "Bundle" },
    good("key identifiers that name the right keys") { $0.plan.keyIdentifiers = ([1, 2], [1, 2]) },
    good("a token of Xcode's StoreKit tests, where the configuration says so") {
      $0.certificates = { [$0.x5c[0]] }
      $0.xcodeCertificates = { [$0.leaf] }
    },
    good("certificates valid to the very second of signing") {
      $0.plan.leafDates = Date(timeIntervalSince1970: 0)...TokenForge.signed
    },
  ]

  static let bad: [TokenCase] = form + header + certificateList + payload + certificates + path + purpose + later

  private static let form: [TokenCase] = [
    bad(.form, "empty") { $0.text = { _ in "" } },
    bad(.form, "two parts") { $0.text = { $0.split(separator: ".").prefix(2).joined(separator: ".") } },
    bad(.form, "four parts") { $0.text = { $0 + ".AAAA" } },
    bad(.form, "an empty signature") { $0.text = { $0.split(separator: ".").prefix(2).joined(separator: ".") + "." } },
    bad(.form, "an empty header") { $0.text = { "." + $0.split(separator: ".").dropFirst().joined(separator: ".") } },
    bad(.form, "padding") { $0.text = { $0 + "==" } },
    bad(.form, "the other alphabet of base64") { $0.text = { $0.replacingOccurrences(of: ".", with: "+.") } },
    bad(.form, "white space at the end") { $0.text = { $0 + "\n" } },
    bad(.form, "too long") { $0.text = { $0 + String(repeating: "A", count: 65_536) } },
    bad(.form, "spare bits that are not zero") { $0.text = { $0.dropLast() + ($0.last == "B" ? "D" : "B") } },
  ]

  private static let header: [TokenCase] = [
    bad(.header, "not JSON") { $0.headerText = "alg=ES256" },
    bad(.header, "a list") { $0.headerText = "[]" },
    bad(.header, "not UTF-8") { $0.text = { "__-_." + $0.split(separator: ".").dropFirst().joined(separator: ".") } },
    bad(.header, "text behind the object") { $0.headerText = #"{"alg":"ES256"} x"# },
    bad(.header, "no algorithm") { $0.header["alg"] = nil },
    bad(.header, "algorithm none") { $0.header["alg"] = "none" },
    bad(.header, "algorithm HS256") { $0.header["alg"] = "HS256" },
    bad(.header, "algorithm in lower case") { $0.header["alg"] = "es256" },
    bad(.header, "algorithm as a list") { $0.header["alg"] = ["ES256"] },
    bad(.header, "crit") { $0.header["crit"] = ["exp"] },
    bad(.header, "b64") { $0.header["b64"] = true },
    bad(.header, "b64 null") { $0.headerText = #"{"alg":"ES256","b64":null,"x5c":["AAAA","AAAA","AAAA"]}"# },
    bad(.header, "a key's id that is no text") { $0.header["kid"] = 7 },
    bad(.header, "a member twice") { $0.headerText = #"{"alg":"ES256","alg":"ES256"}"# },
    bad(.header, "a member twice, once with an escape") { $0.headerText = #"{"alg":"ES256","\u0061lg":"ES256"}"# },
    bad(.header, "nested too deep") { $0.headerText = String(repeating: "[", count: 20_000) },
  ]

  private static let certificateList: [TokenCase] = [
    bad(.certificateList, "no x5c") { $0.hasCertificates = false },
    bad(.certificateList, "two certificates") { $0.certificates = { Array($0.x5c.prefix(2)) } },
    bad(.certificateList, "one certificate") { $0.certificates = { Array($0.x5c.prefix(1)) } },
    bad(.certificateList, "none") { $0.certificates = { _ in [String]() } },
    bad(.certificateList, "an extra certificate") { $0.certificates = { $0.x5c + [$0.x5c[2]] } },
    bad(.certificateList, "one string") { $0.certificates = { $0.x5c[0] } },
    bad(.certificateList, "numbers") { $0.certificates = { _ in [1, 2, 3] } },
    bad(.certificateList, "one certificate of Xcode's that is not the configured one") {
      $0.certificates = { [$0.x5c[1]] }
      $0.xcodeCertificates = { [$0.leaf] }
    },
    bad(.certificateList, "a certificate of Xcode's in another environment") {
      $0.certificates = { [$0.x5c[0]] }
      $0.xcodeCertificates = { [$0.leaf] }
      $0.payload["environment"] = "Production"
      $0.environments = [.production]
    },
    bad(.certificateList, "an empty third") { $0.certificates = { [$0.x5c[0], $0.x5c[1], ""] } },
    bad(.certificateList, "line breaks") { $0.certificates = { [$0.x5c[0] + "\n", $0.x5c[1], $0.x5c[2]] } },
    bad(.certificateList, "base64url") { $0.certificates = { [$0.x5c[0], $0.x5c[1], "_-_-"] } },
  ]

  private static let payload: [TokenCase] = [
    bad(.payload, "not JSON") { $0.payloadText = "hello" },
    bad(.payload, "a list") { $0.payloadText = "[1]" },
    bad(.payload, "a member twice") { $0.payloadText = #"{"signedDate":1,"signedDate":1}"# },
    bad(.payload, "a member twice in a member that nobody reads") { $0.payloadText = #"{"later":[{"a":1,"a":1}]}"# },
    bad(.payload, "a number with a zero in front that nobody reads") { $0.payloadText = #"{"later":01}"# },
    bad(.payload, "half a surrogate pair that nobody reads") { $0.payloadText = #"{"later":"\uD800"}"# },
    bad(.payload, "the date as text") { $0.payload["signedDate"] = "1780000000000" },
    bad(.payload, "the date null") { $0.payload["signedDate"] = NSNull() },
    bad(.payload, "the date true") { $0.payload["signedDate"] = true },
    bad(.payload, "before 1970") { $0.payload["signedDate"] = -1 },
    bad(.payload, "the first moment of the year 10000") { $0.payload["signedDate"] = 253_402_300_800_000 },
    bad(.payload, "a date without end") { $0.payload["signedDate"] = 1e300 },
    bad(.payload, "a number beyond Double") { $0.payloadText = #"{"signedDate":1e999}"# },
  ]

  private static let certificates: [TokenCase] = [
    bad(.certificates, "a leaf that is no certificate") { $0.certificates = { ["AAAA", $0.x5c[1], $0.x5c[2]] } },
    bad(.certificates, "an intermediate that is none") { $0.certificates = { [$0.x5c[0], "MAA=", $0.x5c[2]] } },
    bad(.certificates, "a byte behind the leaf") {
      $0.certificates = { [($0.leaf + [0]).base64EncodedString(), $0.x5c[1], $0.x5c[2]] }
    },
    bad(.certificates, "a byte behind the intermediate") {
      $0.certificates = { [$0.x5c[0], ($0.intermediate + [0]).base64EncodedString(), $0.x5c[2]] }
    },
    bad(.certificates, "a leaf that is cut off") {
      $0.certificates = { [$0.leaf.dropLast(7).base64EncodedString(), $0.x5c[1], $0.x5c[2]] }
    },
  ]

  private static let path: [TokenCase] = [
    bad(.certificatePath, "another root") { $0.anchor = { _ in try TestChain().root } },
    bad(.certificatePath, "Apple's root") { $0.anchor = { _ in VerifierConfiguration.appleRootCertificate } },
    bad(.certificatePath, "order swapped") { $0.certificates = { [$0.x5c[1], $0.x5c[0], $0.x5c[2]] } },
    bad(.certificatePath, "the leaf twice") { $0.certificates = { [$0.x5c[0], $0.x5c[0], $0.x5c[2]] } },
    bad(.certificatePath, "the root as intermediate") { $0.certificates = { [$0.x5c[0], $0.x5c[2], $0.x5c[2]] } },
    bad(.certificatePath, "the root as leaf") { $0.certificates = { [$0.x5c[2], $0.x5c[1], $0.x5c[2]] } },
    bad(.certificatePath, "a leaf by the root itself") { $0.plan.isLeafSignedByRoot = true },
    bad(.certificatePath, "a leaf by a stranger's key") { $0.plan.isLeafSignedByStranger = true },
    bad(.certificatePath, "a leaf that names another issuer") { $0.plan.hasForeignIssuerName = true },
    bad(.certificatePath, "one intermediate more") { $0.plan.hasSecondIntermediate = true },
    bad(.certificatePath, "an intermediate that is no authority") {
      $0.plan.intermediateConstraints = .notCertificateAuthority
    },
    bad(.certificatePath, "an intermediate without constraints") { $0.plan.intermediateConstraints = nil },
    bad(.certificatePath, "a root that is no authority") { $0.plan.rootConstraints = .notCertificateAuthority },
    bad(.certificatePath, "a path longer than the root allows") {
      $0.plan.rootConstraints = .isCertificateAuthority(maxPathLength: 0)
    },
    bad(.certificatePath, "a leaf that is an authority") {
      $0.plan.leafConstraints = .isCertificateAuthority(maxPathLength: nil)
    },
    bad(.certificatePath, "a leaf whose constraints cannot be read") { $0.plan.leafConstraintBytes = [0x30, 0x05] },
    bad(.certificatePath, "an intermediate without key usage") { $0.plan.intermediateKeyUsage = nil },
    bad(.certificatePath, "an intermediate that may not sign certificates") {
      $0.plan.intermediateKeyUsage = KeyUsage(digitalSignature: true)
    },
    bad(.certificatePath, "a leaf that names another key than the intermediate's") {
      $0.plan.keyIdentifiers = ([1, 2], [1, 3])
    },
    bad(.certificatePath, "a leaf with another algorithm inside than outside") {
      $0.plan.hasOtherInnerAlgorithm = true
    },
    bad(.certificatePath, "a token of Xcode's whose certificate had expired") {
      $0.certificates = { [$0.x5c[0]] }
      $0.xcodeCertificates = { [$0.leaf] }
      $0.plan.leafDates = Date(timeIntervalSince1970: 0)...TokenForge.signed.addingTimeInterval(-1)
    },
    bad(.certificatePath, "a token of Xcode's whose certificate ends before it begins") {
      $0.certificates = { [TestChain.withReversedValidity($0.leaf).base64EncodedString()] }
      $0.xcodeCertificates = { [TestChain.withReversedValidity($0.leaf)] }
      $0.plan.leafDates = Date(timeIntervalSince1970: 0)...TokenForge.signed
    },
    bad(.certificatePath, "an unknown critical extension in the leaf") { $0.plan.hasCriticalExtension.leaf = true },
    bad(.certificatePath, "an unknown critical extension in the intermediate") {
      $0.plan.hasCriticalExtension.intermediate = true
    },
    bad(.certificatePath, "a leaf that had expired") {
      $0.plan.leafDates = Date(timeIntervalSince1970: 0)...TokenForge.signed.addingTimeInterval(-1)
    },
    bad(.certificatePath, "a leaf that was not valid yet") {
      $0.plan.leafDates = TokenForge.signed.addingTimeInterval(1)...TokenForge.signed.addingTimeInterval(9)
    },
    bad(.certificatePath, "an intermediate that had expired") {
      $0.plan.intermediateDates = Date(timeIntervalSince1970: 0)...TokenForge.signed.addingTimeInterval(-1)
    },
    bad(.certificatePath, "a root that had expired") {
      $0.plan.rootDates = Date(timeIntervalSince1970: 0)...TokenForge.signed.addingTimeInterval(-1)
    },
    bad(.certificatePath, "the last half second of the year 9999") {
      $0.payload["signedDate"] = 253_402_300_799_999
    },
    bad(.certificatePath, "the year 1970") {
      $0.payload["signedDate"] = 0
      $0.plan.leafDates = TokenForge.signed...TokenForge.signed
    },
    bad(.certificatePath, "no date, and expired now") {
      $0.payload["signedDate"] = nil
      $0.plan.leafDates = Date(timeIntervalSince1970: 0)...TokenForge.signed.addingTimeInterval(-1)
    },
  ]

  private static let purpose: [TokenCase] = [
    bad(.certificatePurpose, "a leaf without its mark") { $0.plan.leafMarker = nil },
    bad(.certificatePurpose, "an intermediate without its mark") { $0.plan.intermediateMarker = nil },
    bad(.certificatePurpose, "a leaf with the other's mark") {
      $0.plan.leafMarker = [1, 2, 840, 113635, 100, 6, 2, 1]
    },
    bad(.certificatePurpose, "a leaf with a neighbour's mark") {
      $0.plan.leafMarker = [1, 2, 840, 113635, 100, 6, 11, 2]
    },
  ]

  private static let later: [TokenCase] = [
    bad(.denyList, "the leaf is denied") { $0.denied = { [$0.leaf] } },
    bad(.denyList, "the intermediate is denied") { $0.denied = { [$0.intermediate] } },
    bad(.signature, "another payload") { forge in
      let other = TokenForge.base64URL(Data((try? TokenForge.json(forge.payload))?.utf8 ?? "".utf8) + [0x20])
      forge.text = { text in
        let parts = text.split(separator: ".")
        return "\(parts[0]).\(other).\(parts[2])"
      }
    },
    bad(.signature, "by another key") {
      $0.signature = { data, _ in try P256.Signing.PrivateKey().signature(for: data).rawRepresentation }
    },
    bad(.signature, "in DER") { $0.signature = { try $1.leafKey.signature(for: $0).derRepresentation } },
    bad(.signature, "63 bytes") { $0.signature = { try $1.leafKey.signature(for: $0).rawRepresentation.dropLast() } },
    bad(.signature, "65 bytes") { $0.signature = { try $1.leafKey.signature(for: $0).rawRepresentation + [0] } },
    bad(.signature, "zeros") { $0.signature = { _, _ in Data(count: 64) } },
    bad(.signature, "over a digest of SHA-384") {
      $0.signature = { try $1.leafKey.signature(for: SHA384.hash(data: $0)).rawRepresentation }
    },
    bad(.signature, "a P-384 key in the leaf") { forge in
      let key = P384.Signing.PrivateKey()
      forge.plan.leafPublicKey = Certificate.PublicKey(key.publicKey)
      forge.signature = { data, _ in try key.signature(for: data).rawRepresentation }
    },
    bad(.signature, "an RSA key in the leaf") { $0.plan.leafPublicKey = rsaKey },
    bad(.bundleID, "another app") { $0.payload["bundleId"] = "com.example.other" },
    bad(.bundleID, "an app whose name begins alike") { $0.payload["bundleId"] = TokenForge.bundleID + ".debug" },
    bad(.bundleID, "other letter case") { $0.payload["bundleId"] = "com.example.App" },
    bad(.bundleID, "the sign for Kelvin in place of a K") {
      $0.appID = "com.example.Kiosk"
      $0.payload["bundleId"] = "com.example.\u{212A}iosk"
    },
    bad(.bundleID, "no app") { $0.payload["bundleId"] = nil },
    bad(.bundleID, "a number") { $0.payload["bundleId"] = 7 },
    bad(.environment, "the sandbox") { $0.payload["environment"] = "Sandbox" },
    bad(.environment, "no environment") { $0.payload["environment"] = nil },
    bad(.environment, "a list") { $0.payload["environment"] = ["Xcode"] },
    bad(.environment, "a local token in production") { $0.environments = [.production] },
    bad(.deviceVerification, "another device") { $0.deviceID = TokenForge.nonce },
    bad(.deviceVerification, "another nonce") {
      $0.payload["deviceVerificationNonce"] = TokenForge.deviceID.uuidString
    },
    bad(.deviceVerification, "not bound") { $0.payload["deviceVerification"] = nil },
  ]

  /// Made with `openssl genrsa 2048`; nobody has the private half.
  private static let rsaKey = try? Certificate.PublicKey(
    pemEncoded: """
      -----BEGIN PUBLIC KEY-----
      MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtnDrMNEJUNIn58EpQQ5i
      WTEwrAyJ26TCBKh/Po/h1SXlDJ9Du8Z7TspI+ZtFApC8JiujhW8iaYnvHahPBQ2z
      xmSTsvY4xBESc2l7qz5VMaYg5aCmWCWfn/XnmSOLZi7T9n44O2WKXtXeOh+YTeVO
      tV1fKRahbTfxPH1GPmZMB4HqmATGs9VRKLjkblNTygWCyvoT62HXh6G1yAAki5FJ
      59ZAs5O+z71mAYOeJuhgH2UVKkMb8IjrEW/hZg8ci+NPjKtBqJafg45x72rHvILy
      9jYJIgZlbwoW2KOsOjsEUlDIOBHLNW+h3C3YR1JxK8v8nyiCZegDP/vv+j1gQu4S
      wQIDAQAB
      -----END PUBLIC KEY-----
      """)
}
