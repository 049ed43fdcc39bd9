import AppStorePurchases
import Foundation
import Testing

/// What the App Store sends to a server, judged by the steps of any other token.
struct NotificationTests {
  private static let now = TokenForge.signed
  private static let id = UUID(uuidString: "0B3A7C52-6F0D-4B43-9F53-2F6C7A3A0B11")!

  /// A forge of a server's tokens, which are bound to no device.
  private static func forge(_ payload: TokenForge.Object) -> TokenForge {
    var forge = TokenForge()
    (forge.payload, forge.deviceID, forge.environments) = (payload, nil, [.production])
    return forge
  }

  private static var transactionPayload: TokenForge.Object {
    var payload = TokenForge.goodPayload
    payload["environment"] = "Production"
    payload["appTransactionId"] = "704289572"
    for name in ["deviceVerification", "deviceVerificationNonce"] { payload[name] = nil as (any Sendable)? }
    return payload
  }

  private static let renewalPayload: TokenForge.Object = [
    "originalTransactionId": "7", "productId": "com.example.pro", "autoRenewProductId": "com.example.pro",
    "autoRenewStatus": 1, "environment": "Production", "recentSubscriptionStartDate": 1_779_000_000_000,
    "signedDate": 1_780_000_000_000, "renewalPrice": 4990, "currency": "EUR", "offerType": 4,
    "offerIdentifier": "come-back", "offerDiscountType": "PAY_UP_FRONT", "offerPeriod": "P3M",
    "eligibleWinBackOfferIds": ["come-back", "please"], "appTransactionId": "704289572",
    "appAccountToken": "6a1f0f4e-6f0d-4b43-9f53-2f6c7a3a0b11",
  ]

  /// A notification with `data`, in which `content` stands beside what each has.
  private static func payload(_ content: TokenForge.Object, kind: String = "REFUND") -> TokenForge.Object {
    let data: TokenForge.Object = [
      "bundleId": TokenForge.bundleID, "environment": "Production", "appAppleId": 6_448_311_069,
      "bundleVersion": "12",
    ]
    return [
      "notificationType": kind, "notificationUUID": id.uuidString.lowercased(), "version": "2.0",
      "signedDate": 1_780_000_000_000, "data": data.merging(content) { $1 },
    ]
  }

  /// The text of a notification that has the tokens inside, and its verifier.
  private static func notification(
    transaction: TokenForge.Object? = transactionPayload, renewal: TokenForge.Object? = nil,
    insideBy other: TestChain? = nil, _ change: (inout TokenForge) -> Void = { _ in }
  ) throws -> (text: String, verifier: TransactionVerifier) {
    let chain = try TestChain()
    var content: TokenForge.Object = ["status": 5]
    if let transaction {
      content["signedTransactionInfo"] = try forge(transaction).make(by: other ?? chain).text
    }
    if let renewal { content["signedRenewalInfo"] = try forge(renewal).make(by: other ?? chain).text }
    var forge = forge(payload(content))
    change(&forge)
    return try forge.make(by: chain)
  }

  private static func step(
    of made: (text: String, verifier: TransactionVerifier)
  ) async throws -> VerificationFailure.Step? {
    do {
      _ = try await made.verifier.notification(from: made.text, now: now)
      return nil
    } catch let failure as VerificationFailure {
      return failure.step
    }
  }

  @Test func `a notification brings its transaction and renewal info, verified`() async throws {
    let (text, verifier) = try Self.notification(renewal: Self.renewalPayload)
    let notification = try await verifier.notification(from: text, now: Self.now)
    #expect(notification.id == Self.id)
    #expect(notification.kind == .refund)
    #expect(notification.subtype == nil)
    #expect(notification.version == "2.0")
    #expect(notification.signedDate == TokenForge.signed)
    guard case .data(let details) = notification.content else {
      Issue.record("the notification has other content")
      return
    }
    #expect(details.bundleID == TokenForge.bundleID)
    #expect(details.appAppleID == 6_448_311_069)
    #expect(details.status == .revoked)
    #expect(notification.transaction?.productID == "com.example.credit")
    #expect(notification.transaction?.appTransactionID == "704289572")
    let renewal = try #require(details.renewalInfo)
    #expect(renewal.offerType == .winBack)
    #expect(renewal.offer?.paymentMode == .payUpFront)
    #expect(renewal.offer?.period == Product.SubscriptionPeriod(unit: .month, value: 3))
    #expect(renewal.eligibleWinBackOfferIDs == ["come-back", "please"])
    #expect(renewal.appTransactionID == "704289572")
    #expect(renewal.appAccountToken != nil)
  }

  @Test func `a notification to try the way has no transaction`() async throws {
    let (text, verifier) = try Self.notification(transaction: nil) { forge in
      forge.payload["notificationType"] = "TEST"
    }
    let notification = try await verifier.notification(from: text, now: Self.now)
    #expect(notification.kind == .test)
    #expect(notification.transaction == nil)
  }

  @Test func `a kind and a subtype that this build does not know are kept`() async throws {
    let (text, verifier) = try Self.notification { forge in
      forge.payload["notificationType"] = "SOMETHING_NEW"
      forge.payload["subtype"] = "UNHEARD_OF"
    }
    let notification = try await verifier.notification(from: text, now: Self.now)
    #expect(notification.kind.rawValue == "SOMETHING_NEW")
    #expect(notification.subtype?.rawValue == "UNHEARD_OF")
  }

  @Test func `a summary and a token for a purchase outside are read`() async throws {
    let chain = try TestChain()
    var payload = Self.payload([:], kind: "RENEWAL_EXTENSION")
    payload["data"] = nil as (any Sendable)?
    payload["subtype"] = "SUMMARY"
    payload["summary"] =
      [
        "requestIdentifier": Self.id.uuidString, "environment": "Production", "bundleId": TokenForge.bundleID,
        "appAppleId": 1, "productId": "com.example.pro", "storefrontCountryCodes": ["UKR", "FRA"], "failedCount": 2,
        "succeededCount": 40,
      ] as TokenForge.Object
    let summary = try Self.forge(payload).make(by: chain)
    let first = try await summary.verifier.notification(from: summary.text, now: Self.now)
    guard case .summary(let counts) = first.content else {
      Issue.record("the notification has other content")
      return
    }
    #expect((counts.succeededCount, counts.failedCount) == (40, 2))
    #expect(counts.storefrontCountryCodes == ["UKR", "FRA"])

    payload["summary"] = nil as (any Sendable)?
    payload["notificationType"] = "EXTERNAL_PURCHASE_TOKEN"
    payload["externalPurchaseToken"] =
      [
        "externalPurchaseId": "SANDBOX-1", "tokenCreationDate": 1_779_000_000_000, "bundleId": TokenForge.bundleID,
      ] as TokenForge.Object
    let token = try Self.forge(payload).make(by: chain)
    #expect(try await Self.step(of: token) == .environment)
    var allowed = Self.forge(payload)
    allowed.environments = [.sandbox]
    let made = try allowed.make(by: chain)
    let second = try await made.verifier.notification(from: made.text, now: Self.now)
    guard case .externalPurchaseToken(let outside) = second.content else {
      Issue.record("the notification has other content")
      return
    }
    #expect(outside.id == "SANDBOX-1" && outside.environment == .sandbox)
  }

  @Test func `another app, environment or number of an app is refused`() async throws {
    let other = try Self.notification { $0.appID = "com.example.other" }
    #expect(try await Self.step(of: other) == .bundleID)
    let sandbox = try Self.notification { $0.environments = [.sandbox] }
    #expect(try await Self.step(of: sandbox) == .environment)
    let number = try Self.notification { $0.appAppleID = 7 }
    #expect(try await Self.step(of: number) == .bundleID)
    let right = try Self.notification { $0.appAppleID = 6_448_311_069 }
    #expect(try await Self.step(of: right) == nil)
  }

  @Test func `a token inside that another store signed, or of another app, spoils the whole`() async throws {
    let stranger = try TestChain()
    #expect(try await Self.step(of: Self.notification(insideBy: stranger)) == .certificatePath)
    var foreign = Self.transactionPayload
    foreign["bundleId"] = "com.example.other"
    #expect(try await Self.step(of: Self.notification(transaction: foreign)) == .bundleID)
    var renewal = Self.renewalPayload
    renewal["environment"] = "Sandbox"
    let mixed = try Self.notification(renewal: renewal) { $0.environments = [.production, .sandbox] }
    #expect(try await Self.step(of: mixed) == .environment)
  }

  @Test(arguments: ["notificationUUID", "notificationType", "version", "signedDate", "data"])
  func `a notification without a property that is needed is refused`(_ name: String) async throws {
    for wrong: (any Sendable)? in [nil, [1, 2]] {
      let made = try Self.notification { $0.payload[name] = wrong }
      let step = try await Self.step(of: made)
      #expect(step == (name == "signedDate" && wrong != nil ? .payload : .properties))
    }
  }

  @Test func `a changed payload fails at its signature`() async throws {
    let made = try Self.notification()
    let parts = made.text.split(separator: ".").map(String.init)
    let spoilt = TokenForge.base64URL(Data(try TokenForge.json(Self.payload([:], kind: "TEST")).utf8))
    let text = [parts[0], spoilt, parts[2]].joined(separator: ".")
    #expect(try await Self.step(of: (text, made.verifier)) == .signature)
  }

  @Test func `the purchase of an app is verified by its own names`() async throws {
    let payload: TokenForge.Object = [
      "receiptType": "Production", "appAppleId": 6_448_311_069, "bundleId": TokenForge.bundleID,
      "applicationVersion": "3.1", "versionExternalIdentifier": 812, "receiptCreationDate": 1_780_000_000_000,
      "originalPurchaseDate": 1_700_000_000_000, "originalApplicationVersion": "1.0", "originalPlatform": "macOS",
      "appTransactionId": "704289572",
    ]
    let (text, verifier) = try Self.forge(payload).make()
    let transaction = try await verifier.appTransaction(from: text, now: Self.now)
    #expect(transaction.bundleID == TokenForge.bundleID)
    #expect(transaction.appID == 6_448_311_069)
    #expect((transaction.appVersion, transaction.originalAppVersion) == ("3.1", "1.0"))
    #expect(transaction.originalPlatform == .macOS)
    #expect(transaction.environment == .production)
    #expect(transaction.signedDate == TokenForge.signed)
    #expect(transaction.appTransactionID == "704289572")

    func hasPaidForApp(_ transaction: AppTransaction) -> Bool {
      // Version 2 made the app free; on the Mac it has always been.
      transaction.originalPlatform != AppStore.Platform.macOS
        && transaction.originalAppVersion.compare("2", options: .numeric) == .orderedAscending
    }
    #expect(!hasPaidForApp(transaction))

    for (name, wrong, step) in [
      ("receiptType", "Sandbox", VerificationFailure.Step.environment), ("bundleId", "com.example.other", .bundleID),
      ("applicationVersion", "", .properties), ("receiptCreationDate", "today", .payload),
    ] {
      var spoilt = payload
      spoilt[name] = wrong
      let made = try Self.forge(spoilt).make()
      let failure = await #expect(throws: VerificationFailure.self) {
        try await made.verifier.appTransaction(from: made.text, now: Self.now)
      }
      #expect(failure?.step == step, "\(name)")
    }
    var numbered = Self.forge(payload)
    numbered.appAppleID = 7
    let made = try numbered.make()
    let failure = await #expect(throws: VerificationFailure.self) {
      try await made.verifier.appTransaction(from: made.text, now: Self.now)
    }
    #expect(failure?.step == .bundleID)
  }

  @Test func `the example of the article compiles`() async throws {
    let (signedPayload, verifier) = try Self.notification()
    var takenBack: [UInt64] = []
    func isNew(_ id: UUID) throws -> Bool { id == Self.id }
    func takeBack(_ transaction: Transaction) throws { takenBack.append(transaction.id) }

    let notification = try await verifier.notification(from: signedPayload, now: Date())
    guard try isNew(notification.id) else { return }
    if notification.kind == .refund, let transaction = notification.transaction {
      try takeBack(transaction)
    }
    #expect(takenBack == [0])

    func line(_ notification: ServerNotification) -> String {
      switch notification.content {
      case .data(let details) where notification.kind == .refund: "refunded in \(details.environment.rawValue)"
      case .data where notification.subtype == .gracePeriod: "the card was refused"
      case .data(let details): "version \(details.bundleVersion ?? "?")"
      case .summary(let summary): "\(summary.succeededCount) subscriptions were extended"
      case .externalPurchaseToken(let token): "a purchase elsewhere, \(token.creationDate)"
      }
    }
    #expect(line(notification) == "refunded in Production")
  }
}
