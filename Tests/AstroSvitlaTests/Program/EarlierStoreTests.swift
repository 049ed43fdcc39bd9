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
}
