// The corners of the language that names encode, for gcc: every construct of the mangling that kernels can have in their names.
#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#define KEEP __attribute__((noinline, used))
namespace {
struct hidden {
	template <class T> KEEP T get(T x) const & { return x; }
};
KEEP int inside(hidden *) { return 1; }
} // namespace
namespace ns {
inline namespace v2 {
enum class colour { red, green };
enum plain { one, two };
template <class T, int N> struct box {
	T at[N];
	KEEP box() {}
	KEEP ~box() {}
	template <class U> KEEP explicit box(const U &) {}
	KEEP T &operator[](int k) { return at[k]; }
	KEEP const T &operator[](int k) const { return at[k]; }
	KEEP box &operator+=(const box &) { return *this; }
	template <class U> KEEP operator U() const { return U(); }
	KEEP operator const T *() const volatile { return nullptr; }
	KEEP box operator()(T, ...) && { return *this; }
	KEEP static void *operator new(size_t n) { return ::operator new(n); }
	KEEP static void operator delete[](void *) {}
	template <class... U> KEEP auto call(U &&...u) const -> decltype((... + u)) { return (... + u); }
	struct inner {
		KEEP void f(typename box<T, N + 1>::inner *) noexcept {}
	};
};
template <class T, int N> KEEP bool operator<(const box<T, N> &, const box<T, N> &) { return false; }
template <class T, int N> KEEP bool operator>>(const box<T, N> &, int (&)[N]) { return false; }
KEEP unsigned long long operator""_kib(unsigned long long n) { return n << 10; }
} // namespace v2
} // namespace ns
struct base {
	virtual ~base();
	virtual int f(int) const;
	int data;
	static int shared;
};
struct left : virtual base {
	int f(int) const override;
};
struct both : left, virtual base {
	int f(int) const override;
};
base::~base() {}
int base::f(int) const { return 1; }
int left::f(int) const { return 2; }
int both::f(int) const { return 3; }
int base::shared;
both *make() { return new both; }

template <class F> KEEP auto apply(F f) -> decltype(f(1)) { return f(1); }
template <auto V> KEEP void value() {}
template <template <class, int> class C, class T> KEEP void through(C<T, 3>) {}
template <class R, class... A> KEEP R (*pointer(R (*f)(A...)))(A...) { return f; }
template <class... T> KEEP void tuples(std::tuple<T...>, std::array<T, sizeof...(T)> *...) {}
template <class... T> KEEP void pairs(std::pair<T, const T *>... ) {}
template <int... I> KEEP void numbers(std::integer_sequence<int, I...>) {}
template <class T> KEEP std::enable_if_t<(sizeof(T) > 2), T> large(T x) { return x; }
template <class T> KEEP auto sum(T a, T b) -> decltype(a + b * 2 - -a) { return a + b * 2 - -a; }
template <class T> KEEP auto chosen(T a) -> decltype(a ? a : T(1)) { return a ? a : T(1); }
template <class T> KEEP auto cast(T a) -> decltype(static_cast<long>(a)) { return (long)a; }
template <class T> KEEP auto member(T *a) -> decltype(a->data) { return a->data; }
template <class T> KEEP auto index(T *a) -> decltype(a[sizeof(T)]) { return a[0]; }
template <class T> KEEP void quiet(T) noexcept(noexcept(T())) {}
template <class T, int N> KEEP int (&array(T (&a)[N]))[N] { return (int (&)[N])a; }
KEEP void functions(void (*)(int, char *), int (base::*)(int) const, int base::*, void (&)(), void (*(*)(int))(long)) {}
KEEP void qualified(const volatile int *const *, int &&, const char (&)[6], int *__restrict) {}
KEEP void builtin(bool, char, signed char, unsigned char, short, unsigned short, unsigned, long, unsigned long, long long,
	unsigned long long, __int128, unsigned __int128, float, double, long double, wchar_t, char16_t, char32_t,
	decltype(nullptr), __float128, ...)
{
}
typedef float float4v __attribute__((vector_size(16)));
KEEP void vectors(float4v, float4v *) {}
KEEP void complexes(_Complex float, std::complex<double>) {}
KEEP int local(int n)
{
	static int count;
	struct here {
		KEEP int twice(int k) { return 2 * k; }
	} h;
	auto l = [n](int k) { static int calls; return n + k + calls++; };
	auto g = [](auto a, auto... b) { return (a + ... + b); };
	struct {
		KEEP int f() { return 1; }
	} unnamed;
	return h.twice(n) + l(1) + g(1, 2, 3l) + g(1.0) + unnamed.f() + apply([](int x) { return x; }) + count++ +
		apply([n](auto x) { return x + n; });
}
struct defaults {
	KEEP int f(std::function<int(int)> a = [](int x) { return x; }, std::function<int()> b = [] { return 2; }) { return a(b()); }
};
template <class T> struct outer {
	template <class U> KEEP T both(U, T *) const { struct l { KEEP U f(U u) { return u; } }; return (T)l().f(U()); }
};
template <class T> KEEP int statics() { static T room[3]; static thread_local int k; return k++ + (int)sizeof room; }
int global;
void use(int n)
{
	hidden h;
	inside(&h);
	h.get(1), h.get<const char *>("x");
	ns::box<int, 3> a;
	ns::box<ns::box<float, 1>, 2> b(a);
	ns::box<ns::colour, 3> c(1.0);
	a[1] = ((const ns::box<int, 3> &)a)[0];
	a += a;
	(void)(double)a;
	(void)(std::vector<int>)a;
	(void)a.operator const int *();
	std::move(a)(1, 2);
	delete[] new ns::box<int, 3>[1];
	(void)new ns::box<int, 3>;
	a.call(1, 2.0, 3l);
	ns::box<int, 3>::inner().f(nullptr);
	(void)(a < a);
	int three[3];
	(void)(a >> three);
	using namespace ns;
	(void)3_kib;
	value<1>(), value<-1>(), value<3u>(), value<4ul>(), value<'c'>(), value<true>(), value<ns::colour::green>(), value<ns::two>(),
		value<&global>(), value<&base::f>(), value<&base::data>(), value<&base::shared>(), value<nullptr>(), value<&local>(),
		value<(short)3>(), value<5ll>(), value<6ull>(), value<(unsigned char)7>();
	through(a);
	pointer(&local);
	pointer(&functions);
	tuples(std::make_tuple(1, 'c'), (std::array<int, 2> *)nullptr, (std::array<char, 2> *)nullptr);
	tuples(std::tuple<>());
	pairs(std::pair<int, const int *>(), std::pair<ns::plain, const ns::plain *>());
	pairs<>();
	numbers(std::make_integer_sequence<int, 4>());
	large(1), large(1.0);
	sum(1, 2), sum(1.0f, 2.0f), chosen(1), cast(1.5), member((base *)make()), index(three), quiet(1);
	array(three);
	statics<long>(), statics<ns::box<int, 3>>();
	local(n);
	defaults().f();
	outer<int>().both('c', three);
	outer<std::string>().both("x", (std::string *)nullptr);
	std::map<std::string, std::vector<std::unique_ptr<base>>> m;
	m["x"].push_back(std::unique_ptr<base>(make()));
	std::variant<int, double, std::string> v = "x";
	std::visit([](auto &&x) { (void)sizeof x; }, v);
	std::vector<std::pair<int, std::string>> s(n);
	std::sort(s.begin(), s.end(), [](const auto &x, const auto &y) { return x.second < y.second; });
	std::function<std::string(const std::string &, int)> f = [&](const std::string &x, int k) { return x + std::to_string(k + n); };
	f("x", 1);
	(void)std::accumulate(s.begin(), s.end(), 0, [](int k, const std::pair<int, std::string> &p) { return k + p.first; });
	std::shared_ptr<base> shared = std::make_shared<both>();
	auto bound = std::bind(&base::f, shared, std::placeholders::_1);
	(void)bound(2);
}
