import AstroSvitla
import Foundation
import Tandem

/// What a person waits for whose store holds 100,000 spent credits: each look by a service of its own, as a program
/// that has just begun has it.
struct CreditBenchmarks {
  let bench: Workbench
  private let count = 100_000
  private let free = 10

  /// The measurements, and each of them beside its bound.
  func all() async throws -> (measurements: [Measurement], ceilings: [Ceiling]) {
    let device = bench.folder.appending(path: "credits")
    try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
    let store = try AstroSvitlaStore(device: device)
    try fill(store)
    // The first reservation looks at all of it, and notes what is open.
    let manager = CreditManager(store)
    _ = try await manager.reserve(for: UUID())
    let balance = try await measure("balance over 100,000 spent credits") {
      let balance = try await CreditManager(store).balance()
      guard balance.consumed == count, balance.available == free else { throw Miscount(balance: balance) }
    }
    let reservation = try await measure("reserve and release over 100,000 spent credits") {
      let (manager, request) = (CreditManager(store), UUID())
      _ = try await manager.reserve(for: request)
      try await manager.release(request)
    }
    // Two durable commits are what a reservation and its release wait for.
    let ceilings = [(balance, 5.0), (reservation, 50)].map { measurement, most in
      Ceiling(measurement.name, unit: "ms", figure: measurement.median * 1_000, most: most)
    }
    return ([balance, reservation], ceilings)
  }

  private func measure(_ name: String, _ body: () async throws -> Void) async throws -> Measurement {
    var seconds: [Double] = []
    for run in -1..<bench.runs {
      let start = ContinuousClock.now
      try await body()
      // The first warms up.
      if run >= 0 { seconds.append((ContinuousClock.now - start) / .seconds(1)) }
    }
    return Measurement(name: "AstroSvitla: " + name, unit: "time", operations: 1, seconds: seconds)
  }

  private func fill(_ store: AstroSvitlaStore) throws {
    let bought = Date(timeIntervalSince1970: 1_760_000_000)
    for start in stride(from: 0, to: count + free, by: 10_000) {
      let context = ModelContext(store.container)
      for number in start..<min(start + 10_000, count + free) {
        let record = AstroSvitla.PurchaseRecord(paid(number, bought.addingTimeInterval(Double(number))))
        context.insert(record)
        let credit = AstroSvitla.PurchaseCredit(0, of: record)
        context.insert(credit)
        if number < count { spend(credit.key, store.installation.id, context) }
      }
      try context.save()
    }
  }

  private func paid(_ number: Int, _ date: Date) -> PaidTransaction {
    PaidTransaction(
      key: TransactionKey(environment: "Xcode", bundleID: CreditProduct.bundleID, transactionID: UInt64(number)),
      productID: CreditProduct.single.rawValue, purchaseDate: date, storefront: "USA", signedAt: date,
      signedText: "signed")
  }

  private func spend(_ credit: CreditKey, _ installation: UUID, _ context: ModelContext) {
    let (request, now) = (UUID(), Date.now)
    context.insert(
      CreditReservation(requestID: request, credit: credit, installationID: installation, expiresAt: now))
    context.insert(
      CreditConsumption(
        requestID: request, credit: credit, consumedAt: now, profileID: nil, area: .career,
        installationID: installation))
  }

  private struct Miscount: Error {
    var balance: CreditBalance
  }
}
