import AppStoreTesting
import AstroSvitla
import Foundation

/// One run of the helper: what to do, on which device, with which App Store.
struct Command {
  struct Mistake: Error {}

  private let words: [String]
  private let trap = Trap()

  init(_ words: [String]) { self.words = words }

  func run() async throws {
    switch words.first {
    case "buy": try await buy(word(3))
    case "launch": try await launch()
    case "report": try await report(word(3), request: word(4))
    case "shop": try await shop(Int(word(3)) ?? 0)
    default: throw Mistake()
    }
  }

  private func word(_ index: Int) throws -> String {
    guard words.indices.contains(index) else { throw Mistake() }
    return words[index]
  }

  private func store() throws -> AstroSvitlaStore {
    try AstroSvitlaStore(device: URL(filePath: word(1), directoryHint: .isDirectory))
  }

  private func service() async throws -> PurchaseService {
    var options = LocalAppStore.Options()
    // Processes end here, machines do not.
    options.durability = .unsafeNoFlush
    let folder = URL(filePath: try word(2), directoryHint: .isDirectory)
    let appStore = try await LocalAppStore.open(at: folder, bundleID: CreditProduct.bundleID, options: options)
    let device = URL(filePath: try word(1)).lastPathComponent
    let client = try await appStore.launch(account: "me", device: device)
    return PurchaseService(try store(), client: client, observer: trap.observer)
  }

  private func buy(_ name: String) async throws {
    guard let product = CreditProduct(named: name) else { throw Mistake() }
    let service = try await service()
    _ = try await service.launch(listens: false)
    print("\(try await service.buy(product))")
  }

  private func launch() async throws {
    let report = try await service().launch(listens: false)
    print("\(report.balance.available)")
  }

  private func report(_ chart: String, request: String) async throws {
    guard let chartID = UUID(uuidString: chart), let requestID = UUID(uuidString: request) else { throw Mistake() }
    let store = try store()
    let reports = ReportService(
      store, credits: CreditManager(store, observer: trap.observer), observer: trap.observer)
    let order = try ReportOrder(chartID: chartID, area: .career, language: .english)
    print("\(try await reports.generate(order, requestID: requestID, leaseSeconds: 3600).wordCount)")
  }

  /// At once, so that the test knows of it whenever the process ends.
  private func tell(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// Buys and spends again and again, telling each step that it has done, until it is killed or done.
  private func shop(_ rounds: Int) async throws {
    let store = try store()
    let service = try await service()
    _ = try await service.launch(listens: false)
    tell("ready")
    let credits = CreditManager(store)
    let reports = ReportService(store, credits: credits)
    guard let chart = try await ChartService(store).charts().first else { throw Mistake() }
    for round in 0..<rounds {
      let product: CreditProduct = round.isMultiple(of: 3) ? .packOfFive : .single
      _ = try await service.buy(product)
      let order = try ReportOrder(chartID: chart.id, area: .wellness, language: .ukrainian, isAgain: true)
      // A lease of a second, so that what a killed run held is free again soon.
      _ = try await reports.generate(order, requestID: UUID(), leaseSeconds: 1)
      tell("round \(round)")
    }
  }
}
