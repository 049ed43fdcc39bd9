import Foundation
import RecordStore
import RecordSync
import Tandem
import TandemSync
import Testing

/// The code of the article Sharing. Its commands are played by `ConsoleTests`.
struct SharingTests {
  @Test func `a founder invites a reader, who reads`() async throws {
    try await withFolder { root in
      let container = try makeContainer(for: [Expense.self], at: root.appending(path: "phone/books/Books.store"))
      let laptop = try makeContainer(for: [Expense.self], at: root.appending(path: "laptop/books/Books.store"))
      let folder = root.appending(path: "exchange")
      let letter = root.appending(path: "bob.invitation")
      let context = ModelContext(container)
      context.insert(Expense(shop: "Bakery", amount: 4))
      try context.save()
      try {
        let shared = SharedStore(at: container.store.url)
        try shared.found(named: "Ann")
        let invitation = try shared.invite("Bob", as: .reader, meeting: .folder(folder.path))
        try invitation.write(to: letter)
      }()
      _ = try await SyncEngine(container: container, folder: folder).sync()
      let store = laptop.store.url

      let invitation = try FamilyInvitation(at: letter)
      try SharedStore(at: store).join(invitation)
      #expect(invitation.meeting == .folder(folder.path))
      _ = try await SyncEngine(container: laptop, folder: folder).sync()
      #expect(try ModelContext(laptop).fetchCount(FetchDescriptor<Expense>()) == 1)
      for container in [container, laptop] { #expect(try container.store.integrityViolations() == []) }
    }
  }
}
