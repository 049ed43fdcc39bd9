/// The object that ``ModelContext/model(for:)`` gives for a class that the container does not have: that call can
/// neither fail nor make an object of a class that nobody named. It is deleted, and a cast to any class gives nil.
@Model
final class UnknownModel {
  init() {}
}
