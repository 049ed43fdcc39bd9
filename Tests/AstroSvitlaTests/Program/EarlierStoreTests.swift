import AstroSvitla
import Foundation
import Tandem
import Testing

/// An earlier build of the app, as far as a store tells: it had fewer entities and fields.
private enum Earlier {
  @Model final class User {
    @Attribute(.unique) var id: UUID
    var createdAt: Date

    init(id: UUID, createdAt: Date) {
      self.id = id
      self.createdAt = createdAt
    }
  }
}

@Suite struct EarlierStoreTests {
  @Test func `a command that reads takes a store of an earlier build`() throws {
    try withDevices("phone") { folder in
      let configuration = ModelConfiguration(
        AstroSvitlaStore.storeName, groupContainer: .identifier(AstroSvitlaStore.groupIdentifier),
        containerRoot: folder.appending(path: "phone"))
      let context = ModelContext(try ModelContainer(for: Earlier.User.self, configurations: configuration))
      context.insert(Earlier.User(id: Fixtures.id(1), createdAt: Fixtures.base))
      try context.save()
      for command in [["chart", "list"], ["credits"]] {
        let run = try ProgramRun(["astrosvitla"] + command + ["--device", "phone"], in: folder)
        #expect(run.code == 0, "\(run)")
      }
    }
  }

  /// Written by the program of 0.1: five credits, one of them spent on a report of a chart with a profile.
  private func placeGoldenStore(on phone: URL) throws {
    let golden = packageRoot.appending(path: "SyncFixtures/golden/astrosvitla-1")
    let group = phone.appending(path: AstroSvitlaStore.groupIdentifier)
    let store = group.appending(path: "AstroSvitla.store")
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: golden.appending(path: "data.mdb"), to: store.appending(path: "data.mdb"))
    try FileManager.default.copyItem(
      at: golden.appending(path: "AstroSvitla.installation"), to: group.appending(path: "AstroSvitla.installation"))
  }

  @Test func `a store of build 0-1-0 is opened with its charts, credits and reports`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "astrosvitla-\(UUID().uuidString)")
    try placeGoldenStore(on: folder)
    let store = try AstroSvitlaStore(device: folder)
    let chart = try #require(try await ChartService(store).charts().first)
    #expect(chart.birth.name == "Olena" && chart.profileName == "Olena" && chart.calculatedAt == chart.createdAt)
    #expect(try chart.birth.time == BirthTime(iso: "07:45") && chart.birth.place.name == "Kyiv")
    let sky = try await ChartService(store).natalChart(of: chart.id)
    #expect(sky.position(of: .moon).longitude.sign == .aquarius && sky.houseSystem == .placidus)
    let credits = CreditManager(store)
    #expect(try await credits.balance().available == 4)
    let report = try #require(try await ReportService(store, credits: credits).reports().first)
    #expect(report.requestID == Fixtures.id(1) && report.area == .career && !report.isPaidByPlan)
    #expect(try await PurchaseHistory(store).plan().state == .none)
    let context = ModelContext(store.container)
    #expect(try context.fetch(FetchDescriptor<AstroSvitla.User>()).map(\.lastActiveAt) == [nil])
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `commands read a store of build 0-1-0`() throws {
    try withDevices("phone") { folder in
      try placeGoldenStore(on: folder.appending(path: "phone"))
      for command in [["chart", "show", "Olena"], ["report", "list"], ["history"], ["plan"]] {
        let run = try ProgramRun(["astrosvitla"] + command + ["--device", "phone"], in: folder)
        #expect(run.code == 0, "\(run)")
      }
    }
  }
}
