import Foundation
import SwiftData
import Testing

// Many-to-many, one-to-one, trees: relationships as tutorials explain them.

@Model
final class Student {
  var firstName: String
  var lastName: String
  @Relationship(inverse: \Course.students) var courses: [Course]
  @Relationship(deleteRule: .cascade, inverse: \LibraryCard.owner) var card: LibraryCard?

  #Unique<Student>([\.firstName, \.lastName])

  init(_ firstName: String, _ lastName: String, courses: [Course] = []) {
    self.firstName = firstName
    self.lastName = lastName
    self.courses = courses
  }

  var fullName: String { "\(firstName) \(lastName)" }
}

@Model
final class Course {
  @Attribute(.unique) var title: String
  var credits: Int
  var students: [Student]
  var teacher: Teacher!

  init(title: String, credits: Int, students: [Student] = []) {
    self.title = title
    self.credits = credits
    self.students = students
  }
}

@Model
final class Teacher {
  var name: String
  @Relationship(deleteRule: .nullify, inverse: \Course.teacher) private(set) var courses: [Course]!

  init(name: String, courses: [Course] = []) {
    self.name = name
    self.courses = courses
  }

  func take(_ course: Course) { courses.append(course) }
}

@Model
final class LibraryCard {
  var number: Int
  var owner: Student?

  init(number: Int) { self.number = number }
}

@MainActor
struct CollegeTutorialTests {
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  init() throws {
    container = try ModelContainer(
      for: Student.self, Course.self, Teacher.self, LibraryCard.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let algebra = Course(title: "Algebra", credits: 6)
    let biology = Course(title: "Biology", credits: 4)
    let chemistry = Course(title: "Chemistry", credits: 5)
    let ann = Student("Ann", "Lee", courses: [algebra, biology])
    let bob = Student("Bob", "Lee", courses: [algebra])
    let eve = Student("Eve", "Moss")
    context.insert(ann)
    context.insert(bob)
    context.insert(eve)
    context.insert(chemistry)
    let noether = Teacher(name: "Noether", courses: [algebra])
    context.insert(noether)
    noether.take(chemistry)
    ann.card = LibraryCard(number: 7)
    try context.save()
  }

  private func student(_ name: String) throws -> Student {
    try #require(try context.fetch(FetchDescriptor<Student>(predicate: #Predicate { $0.firstName == name })).first)
  }

  private func course(_ title: String) throws -> Course {
    try #require(try context.fetch(FetchDescriptor<Course>(predicate: #Predicate { $0.title == title })).first)
  }

  @Test func `both sides of many to many show each other`() throws {
    let algebra = try course("Algebra")
    #expect(Set(algebra.students.map(\.firstName)) == ["Ann", "Bob"])
    let eve = try student("Eve")
    eve.courses.append(algebra)
    try course("Biology").students.append(eve)
    #expect(Set(algebra.students.map(\.firstName)) == ["Ann", "Bob", "Eve"])
    #expect(Set(eve.courses.map(\.title)) == ["Algebra", "Biology"])
    eve.courses.removeAll { $0.title == "Algebra" }
    #expect(Set(algebra.students.map(\.firstName)) == ["Ann", "Bob"])
    try context.save()
    let others = try ModelContext(container).fetch(
      FetchDescriptor<Course>(
        predicate: #Predicate { $0.students.contains { $0.firstName == "Eve" } }, sortBy: [.init(\.title)]))
    #expect(others.map(\.title) == ["Biology"])
  }

  @Test func `credits are summed over related objects`() throws {
    let ann = try student("Ann")
    #expect(ann.courses.reduce(0) { $0 + $1.credits } == 10)
    #expect(ann.courses.map(\.credits).max() == 6)
    let all = try context.fetch(FetchDescriptor<Student>(sortBy: [.init(\.lastName), .init(\.firstName)]))
    #expect(all.map(\.fullName) == ["Ann Lee", "Bob Lee", "Eve Moss"])
    let totals = Dictionary(uniqueKeysWithValues: all.map { ($0.firstName, $0.courses.map(\.credits).reduce(0, +)) })
    #expect(totals == ["Ann": 10, "Bob": 6, "Eve": 0])
    let average = Double(totals.values.reduce(0, +)) / Double(totals.count)
    #expect(average == 16.0 / 3)
  }

  @Test func `students are found by their courses and courses by their students`() throws {
    let algebra = try course("Algebra")
    let id = algebra.persistentModelID
    let taking = FetchDescriptor<Student>(
      predicate: #Predicate { $0.courses.contains { $0.persistentModelID == id } }, sortBy: [.init(\.firstName)])
    #expect(try context.fetch(taking).map(\.firstName) == ["Ann", "Bob"])
    let hard = FetchDescriptor<Student>(
      predicate: #Predicate { student in
        student.courses.filter { $0.credits >= 5 }.count == 1 && student.courses.count > 1
      })
    #expect(try context.fetch(hard).map(\.firstName) == ["Ann"])
    let allLees = FetchDescriptor<Course>(
      predicate: #Predicate { course in
        course.students.allSatisfy { $0.lastName == "Lee" } && !course.students.isEmpty
      }, sortBy: [.init(\.title)])
    #expect(try context.fetch(allLees).map(\.title) == ["Algebra", "Biology"])
    let none = FetchDescriptor<Course>(predicate: #Predicate { $0.students.isEmpty })
    #expect(try context.fetch(none).map(\.title) == ["Chemistry"])
  }

  @Test func `a delete of one side of many to many leaves the other`() throws {
    let ann = try student("Ann")
    context.delete(try course("Algebra"))
    try context.save()
    #expect(ann.courses.map(\.title) == ["Biology"])
    #expect(try student("Bob").courses.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Student>()) == 3)
    context.delete(ann)
    try context.save()
    #expect(try course("Biology").students.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<LibraryCard>()) == 0)
  }

  @Test func `a card moves from one student to another`() throws {
    let (ann, bob) = (try student("Ann"), try student("Bob"))
    let card = try #require(ann.card)
    card.owner = bob
    #expect(ann.card == nil && bob.card === card)
    try context.save()
    let holders = try ModelContext(container).fetch(
      FetchDescriptor<Student>(predicate: #Predicate { $0.card?.number == 7 }))
    #expect(holders.map(\.firstName) == ["Bob"])
    bob.card = nil
    #expect(card.owner == nil)
    #expect(try context.fetch(FetchDescriptor<LibraryCard>()).map(\.number) == [7])
  }

  @Test func `an implicitly unwrapped relationship is set, read and sorted by`() throws {
    let algebra = try course("Algebra")
    #expect(algebra.teacher.name == "Noether")
    #expect(try course("Biology").teacher == nil)
    let noether = try #require(try context.fetch(FetchDescriptor<Teacher>()).first)
    #expect(noether.courses.map(\.title).sorted() == ["Algebra", "Chemistry"])
    let found = FetchDescriptor<Course>(
      predicate: #Predicate { $0.teacher?.name == "Noether" }, sortBy: [.init(\.credits)])
    #expect(try context.fetch(found).map(\.title) == ["Chemistry", "Algebra"])
    context.delete(noether)
    try context.save()
    #expect(algebra.teacher == nil)
    #expect(try context.fetch(found).isEmpty)
  }

  @Test func `two values together are unique`() throws {
    let ann = Student("Ann", "Lee")
    ann.courses = [try course("Chemistry")]
    context.insert(ann)
    context.insert(Student("Ann", "Moss"))
    try context.save()
    let anns = FetchDescriptor<Student>(
      predicate: #Predicate { $0.firstName == "Ann" }, sortBy: [.init(\.lastName)])
    #expect(try context.fetch(anns).map(\.fullName) == ["Ann Lee", "Ann Moss"])
    #expect(try context.fetchCount(FetchDescriptor<Student>()) == 4)
  }
}
