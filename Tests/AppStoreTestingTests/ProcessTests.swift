import AppStorePurchases
import Foundation
import HelperProcess
import TestSupport
import Testing

@testable import AppStoreTesting

@Suite struct `Several processes` {
  private static func app(
    _ appStore: LocalAppStore, _ device: String, crash: String? = nil, _ command: String...
  ) throws -> HelperProcess {
    try HelperProcess(
      arguments: [appStore.directory.path, ShopFixture.bundleID, "anna", device] + command,
      environment: crash.map { [CrashPoint.environmentVariable: $0] } ?? [:], program: "app-store-test-helper")
  }

  private static func lines(_ app: HelperProcess) throws -> [String] {
    var lines: [String] = []
    while let line = try app.line() { lines.append(line) }
    return lines
  }

  @Test func `two processes buy at once and no id is given twice`() async throws {
    try await withAppStore { appStore in
      let apps = try ["phone", "laptop"].map { try Self.app(appStore, $0, "buy", ShopFixture.credit, "25") }
      let here = try await appStore.launch(account: "anna", device: "tablet")
      var ids: [UInt64] = []
      for _ in 0..<10 { ids.append(try await here.bought(ShopFixture.credit).id) }
      for app in apps {
        let lines = try Self.lines(app)
        #expect(lines.last == "done")
        ids += lines.compactMap { UInt64($0) }
        #expect(try app.finish() == 0)
      }
      #expect(ids.sorted() == Array(0..<60))
      #expect(try await here.ids(.unfinished).count == 60)
    }
  }

  @Test func `purchases and refunds reach a process that listens, and the other way round`() async throws {
    try await withAppStore { appStore in
      let listener = try Self.app(appStore, "laptop", "listen")
      try listener.expect("ready")
      let phone = try await appStore.phone()
      let updates = try await Updates(phone)
      try await phone.bought(ShopFixture.credit)
      try listener.expect("0 paid")
      try await appStore.refund(0)
      try listener.expect("0 refunded")
      #expect(try await updates.next().revocationDate != nil)
      try await appStore.reverseRefund(0)
      try listener.expect("0 paid")
      #expect(try await updates.next().revocationDate == nil)
      let other = try Self.app(appStore, "tablet", "deliver", ShopFixture.credit)
      #expect(try Self.lines(other) == ["bought 1", "finished 1", "done"])
      try listener.expect("1 paid")
      #expect(try await updates.next().id == 1)
      #expect(try await phone.ids(.unfinished) == [0], "what one process finished is finished for all")
      listener.kill()
    }
  }

  /// What each crash leaves, for the person and for the next launch.
  static let crashes: [(point: CrashPoint, isPaid: Bool, isFinished: Bool, said: [String])] = [
    (.beforePayment, false, false, []),
    (.paidNotReturned, true, false, []),
    (.beforeFinish, true, false, ["bought 0"]),
    (.finishedNotReturned, true, true, ["bought 0"]),
  ]

  @Test(arguments: crashes)
  func `a process that dies while it buys or finishes leaves what the relaunch needs`(
    point: CrashPoint, isPaid: Bool, isFinished: Bool, said: [String]
  ) async throws {
    try await withAppStore { appStore in
      let app = try Self.app(appStore, "phone", crash: point.rawValue, "deliver", ShopFixture.credit)
      #expect(try Self.lines(app) == said)
      #expect(try app.finish() == -SIGKILL)
      let entries = try await appStore.entries()
      #expect(entries.count == (isPaid ? 1 : 0))
      #expect(entries.first?.isFinished ?? false == isFinished)
      let relaunched = try Self.app(appStore, "phone", "finish")
      #expect(try Self.lines(relaunched) == (isPaid && !isFinished ? ["0", "done"] : ["done"]))
      #expect(try relaunched.finish() == 0)
      #expect(try await appStore.entries().allSatisfy { $0.isFinished && $0.finishCount == 1 })
    }
  }

  @Test func `a process that dies on a refund hears of it at the next launch by all transactions`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      await (try phone.bought(ShopFixture.credit)).finish()
      let app = try Self.app(appStore, "phone", crash: "R1", "listen")
      try app.expect("ready")
      try await appStore.refund(0)
      #expect(try Self.lines(app).isEmpty)
      #expect(try app.finish() == -SIGKILL)
      #expect(try await appStore.phone().all(.all).map(\.revocationDate).allSatisfy { $0 != nil })
    }
  }

  @Test func `a point is passed until its count is reached`() async throws {
    try await withAppStore { appStore in
      let app = try Self.app(appStore, "phone", crash: "C1:3", "buy", ShopFixture.credit, "5")
      #expect(try Self.lines(app) == ["0", "1"])
      #expect(try app.finish() == -SIGKILL)
      #expect(try await appStore.entries().map(\.id) == [0, 1, 2])
    }
  }

  @Test func `processes that are killed anywhere leave sound books in which every answer holds`() async throws {
    try await withAppStore { appStore in
      var random = SeededGenerator.announced()
      var answered: Set<UInt64> = []
      for _ in 0..<6 {
        let app = try Self.app(appStore, "phone", "buy", ShopFixture.credit, "1000")
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          answered.insert(try #require(UInt64(try app.line() ?? "")))
        }
        app.kill()
        for line in try Self.lines(app) { answered.insert(try #require(UInt64(line))) }
        let entries = try await appStore.entries()
        #expect(answered.isSubset(of: entries.map(\.id)))
        #expect(entries.map(\.id) == Array(0..<UInt64(entries.count)), "no gap and nothing twice")
        try expectSound(appStore.ledger.store)
      }
    }
  }

  @Test func `processes that open a new directory at once share one App Store`() async throws {
    let folder = try makeTemporaryFolder()
    defer { removeFolder(folder) }
    let stores = try await withThrowingTaskGroup(of: LocalAppStore.self) { group in
      for seed in 0..<4 { group.addTask { try await LocalAppStore.forTests(at: folder, seed: UInt64(seed)) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    var roots: Set<Data> = []
    for store in stores { roots.insert(try await store.rootCertificate()) }
    #expect(roots.count == 1)
  }
}
